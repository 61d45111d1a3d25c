package spacetime

import (
	"fmt"
	"strings"
)

// shownFrames is how many functions of a stack are shown from its top.
const shownFrames = 2

// foldStack shortens a goroutine's stack to its innermost functions and the
// line that says who created it. The first line of a crash's report, which the
// step's own sentence has, is not a function and is left out.
func foldStack(text string) []string {
	var calls []string
	created := ""
	for _, l := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(l, "created by "):
			created = strings.TrimSpace(l)
		case isFunction(l):
			calls = append(calls, function(l))
		}
	}
	var lines []string
	for i, c := range calls {
		if i == shownFrames && len(calls) > shownFrames+1 {
			lines = append(lines, fmt.Sprintf("   … %d more …", len(calls)-shownFrames))
			break
		}
		lines = append(lines, "   "+c)
	}
	if created != "" {
		lines = append(lines, "   "+created)
	}
	return lines
}

// shorten drops leading parts of the path in a stack's line until it fits into
// room columns: the function is what tells.
func shorten(s string, room int) string {
	lead := s[:len(s)-len(strings.TrimLeft(s, " "))]
	if strings.HasPrefix(s[len(lead):], "created by ") {
		lead += "created by "
	}
	path := s[len(lead):]
	for width(s) > room {
		_, rest, ok := strings.Cut(path, "/")
		if !ok {
			break
		}
		path = rest
		s = lead + "…/" + path
	}
	return s
}

// isFunction reports whether a line of a stack names a function: its file is
// on a line of its own, indented.
func isFunction(l string) bool {
	if l == "" || l[0] == ' ' || l[0] == '\t' || strings.HasPrefix(l, "goroutine ") {
		return false
	}
	return !strings.Contains(l, ": ") && strings.Contains(l, ".")
}

// function is a stack line's function without the arguments' addresses.
func function(l string) string {
	if at := strings.LastIndexByte(l, '('); at > 0 && strings.HasSuffix(l, ")") {
		return l[:at]
	}
	return strings.TrimSpace(l)
}
