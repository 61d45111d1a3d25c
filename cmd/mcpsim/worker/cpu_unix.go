//go:build unix

package main

import (
	"fmt"
	"syscall"
)

// limitCPU lets the process use so many seconds of processor time from now on
// and then die, so that a world that spins ends even when nobody watches. Zero
// sets no limit.
func limitCPU(seconds uint64) error {
	if seconds == 0 {
		return nil
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return fmt.Errorf("read the processor time: %w", err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(rlimitCPU, &limit); err != nil {
		return fmt.Errorf("read the limit of processor time: %w", err)
	}
	limit.Cur = min(uint64(used.Utime.Sec+used.Stime.Sec)+seconds+1, limit.Max)
	if err := syscall.Setrlimit(rlimitCPU, &limit); err != nil {
		return fmt.Errorf("limit the processor time: %w", err)
	}
	return nil
}

// rlimitCPU is RLIMIT_CPU, which package syscall does not name on every system;
// it is 0 on Linux, macOS and the BSDs.
const rlimitCPU = 0
