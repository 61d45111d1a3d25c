//go:build !unix

package main

import (
	"testing"
	"time"
)

// childrensCPU is not known here.
func childrensCPU(testing.TB) time.Duration { return 0 }
