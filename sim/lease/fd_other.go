//go:build !unix

package lease

import "errors"

// An FD is a descriptor of a worker. There are no workers on this platform.
type FD int

var errPlatform = errors.New("virtual time needs Linux or macOS")

// Read errs.
func (FD) Read([]byte) (int, error) { return 0, errPlatform }

// Write errs.
func (FD) Write([]byte) (int, error) { return 0, errPlatform }
