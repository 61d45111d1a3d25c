//go:build unix

package engine

import (
	"os"
	"syscall"
)

// ownGroup keeps a Ctrl-C at the terminal from reaching the workers, so that the
// worlds under way can end.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// askForStacks makes the Go runtime of p print all stacks and exit.
func askForStacks(p *os.Process) error { return p.Signal(syscall.SIGQUIT) }
