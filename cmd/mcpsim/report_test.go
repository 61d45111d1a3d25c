package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestBelowSweep: the page of a sweep's finding leads to the directory of its scenario, where
// it has another number.
func TestBelowSweep(t *testing.T) {
	page := "In the run's result directory: `findings/F7/conversation.svg` (this as a diagram), `findings/F7/history.txt` (all calls of that world)."
	assert.Equal(t, "In the run's result directory, F7 of half-close: `half-close/findings/F7/conversation.svg` (this as a diagram), "+
		"`half-close/findings/F7/history.txt` (all calls of that world).", belowSweep(page, "F7", "half-close"))
}
