// Command mcpsim finds, reproduces and measures cancellation races in
// implementations of the Model Context Protocol.
//
// The files of this package are the command line (root.go), its verbs (run.go,
// replay.go, check.go, report.go, list.go, show.go, doctor.go, selftest.go) and what
// they share: experiment.go decides what to run, plan.go with which seeds, gate.go what
// counts (expected.go reads and writes the failures that do not); gather.go takes the
// worlds as they end, until.go in the order of their seeds where a finding ends the
// run, conclude.go makes an outcome of them; sweep.go does all that for one scenario
// after the other; matrix.go holds the judge against the mutants; crash.go makes sense
// of a world that killed its worker, progress.go, sign.go and terminal.go talk to the user. The
// program that simulates is ./worker; this one builds it (build_worker.go), hands it worlds and adds up
// what it says.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// The exit codes. Each verb's last line names the code and why.
const (
	exitOK      = 0
	exitBroken  = 1 // a rule was broken, a finding is still there, or an expected failure is stale
	exitUsage   = 2 // the command line, the scenario or another file is wrong
	exitFailed  = 3 // the experiment failed or was interrupted
	exitVacuous = 4 // nothing broken, but too little was exercised, or not all of it decided
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run carries out one command line and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A second interrupt ends the program at once.
	context.AfterFunc(ctx, stop)
	root := newRoot(stdout, stderr)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		// What cobra itself refuses: unknown commands, flags and arguments.
		exit = usage(err)
	}
	if exit.err != nil {
		fmt.Fprintln(stderr, "mcpsim:", exit.err)
		fmt.Fprintf(stderr, "exit %d (%s)\n", exit.code, exit.why())
	}
	return exit.code
}

// An exitError ends the program with a code. With a nil err the verb has said
// everything itself.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func (e *exitError) why() string {
	switch e.code {
	case exitUsage:
		return "nothing was run"
	case exitFailed:
		return "the experiment failed"
	}
	return "see above"
}

func usage(err error) *exitError  { return &exitError{exitUsage, err} }
func failed(err error) *exitError { return &exitError{exitFailed, err} }
