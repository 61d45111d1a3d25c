// Package stack reads the stacks that the Go runtime prints: whose code it was that
// panicked, or that a goroutine hangs in. It works on text, and knows nothing of worlds.
package stack

import (
	"slices"
	"strings"
)

// Clean returns the frames of one goroutine, a function and its place in turn, without
// what differs from run to run: arguments, offsets and who is whose parent.
func Clean(frames string) string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimSpace(frames), "\n") {
		if place, ok := strings.CutPrefix(line, "\t"); ok {
			place, _, _ = strings.Cut(place, " +0x")
			out = append(out, "\t"+place)
			continue
		}
		line, _, _ = strings.Cut(line, " in goroutine ")
		if i := strings.LastIndex(line, "("); i > 0 && strings.HasSuffix(line, ")") && !strings.HasPrefix(line, "created by ") {
			line = line[:i]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// Origin returns the lines of a stack from the function on that panicked first, all of
// them if none did. Where code that was deferred panicked again, be it with what it had
// recovered, there would have been no other panic without the first.
func Origin(lines []string) []string {
	for i, line := range slices.Backward(lines) {
		if line == "panic" || strings.HasPrefix(line, "panic(") {
			return lines[min(i+2, len(lines)):] // behind its place
		}
	}
	return lines
}

// Below reports whether a function, as a stack prints it, is of the package path or of
// one below it. No function is below the empty path.
func Below(function, path string) bool {
	rest, ok := strings.CutPrefix(function, path)
	return ok && path != "" && (strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/"))
}
