//go:build unix

package lease

import (
	"io"
	"syscall"
	"unsafe"
)

// An FD reads and writes a descriptor by system calls that the scheduler does
// not see. To a virtual clock the calling goroutine is then at work all the
// while, so time stands still; through package os it would count as waiting.
type FD int

// Read blocks until there is something to read. It returns io.EOF at the end.
func (fd FD) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := raw(syscall.SYS_READ, int(fd), p)
	if n == 0 && err == nil {
		return 0, io.EOF
	}
	return n, err
}

// Write blocks until all of p is written.
func (fd FD) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := raw(syscall.SYS_WRITE, int(fd), p[done:])
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// raw makes one system call and repeats it when a signal interrupts it.
func raw(trap uintptr, fd int, p []byte) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall(trap, uintptr(fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 {
			return 0, errno
		}
		return int(n), nil
	}
}
