package engine

import (
	"strings"

	"github.com/mcpsim/mcpsim/sim/stack"
)

// howDied reads the way of a worker's death from its report, and from its exit
// status where the report says nothing.
func howDied(exit error, report string) string {
	for _, line := range strings.Split(report, "\n") {
		switch {
		case strings.HasPrefix(line, "panic: "):
			return "panic"
		case strings.HasPrefix(line, "fatal error: "):
			return "fatal error"
		}
	}
	if exit == nil {
		return "exit status 0"
	}
	return exit.Error()
}

// Headline is the line of the report that says what happened, "panic: ...".
func (d Death) Headline() string {
	for _, line := range strings.Split(d.Report, "\n") {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	return d.How
}

// Stack is the first goroutine of the report: the one that was running.
func (d Death) Stack() []string {
	_, rest, ok := strings.Cut(d.Report, "\ngoroutine ")
	if !ok {
		return nil
	}
	block, _, _ := strings.Cut(rest, "\n\n")
	return strings.Split("goroutine "+strings.TrimRight(block, "\n"), "\n")
}

// Names reports whether a function of the package path or below it stands in the
// stack before any other code of this module does: whose code it was that died. The
// stack counts from the first panic on.
func (d Death) Names(path string) bool {
	for _, line := range stack.Origin(d.Stack()) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		if stack.Below(line, path) {
			return true
		}
		if stack.Below(line, modulePath) {
			return false
		}
	}
	return false
}
