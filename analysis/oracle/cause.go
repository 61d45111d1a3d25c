package oracle

import (
	"strings"
	"unicode"
)

// AnsweredCause is the cause of late responses, whatever they say.
const AnsweredCause = "answered"

// What else unites violations that seem different by their words and are one
// behaviour: whether a handler ran on or was begun after its cancel depends on when
// that came; whether an SDK that tells late was still in time, on the tool.
const (
	untoldCause = "not told in time" // or not at all: a tool may have ended first
	stuckCause  = "session stuck"    // a probe, a call or a close that nobody serves any more
	staleCause  = "cancel of an earlier request"
	hitCause    = "another call hit" // by a cancel that was not its own

	progressed = "reported progress"
)

func (v Violation) dueTo(cause string) Violation {
	v.Cause = cause
	return v
}

// maxSignature bounds a signature, in bytes.
const maxSignature = 160

// Signature tells violations of one rule apart by what probably caused them: two
// with the same signature are one finding. It is the cause that the oracle named,
// or else the violation's words without what differs from world to world: numbers,
// and what is quoted of a target. It says nothing of the phase or the tool, which
// a finding counts instead.
func (v Violation) Signature() string {
	s := v.Cause
	if s == "" {
		s = normal(v.What)
	}
	return cutAt(s, maxSignature)
}

// normal replaces each number by "#" and each quotation by an empty one.
func normal(s string) string {
	var b strings.Builder
	quoted, escaped, number := false, false, false
	for _, r := range s {
		switch {
		case quoted:
			quoted = escaped || r != '"'
			escaped = !escaped && r == '\\'
			continue
		case r == '"':
			quoted, escaped = true, false
			b.WriteString(`""`)
		case unicode.IsDigit(r):
			if !number {
				b.WriteByte('#')
			}
		default:
			b.WriteRune(r)
		}
		number = unicode.IsDigit(r)
	}
	return b.String()
}

// cutAt shortens s to at most n bytes, between characters.
func cutAt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// crashFrames is how many functions of a stack tell one crash from another.
const crashFrames = 2

// crashCause is a crash by what was said and where: its first line, addresses and
// numbers aside, and the innermost functions outside the standard library.
func crashCause(text string) string {
	said := hexless(strings.ToValidUTF8(firstLine(text), ""))
	frames := ownFrames(text, crashFrames)
	if len(frames) == 0 {
		return "crash: " + normal(said)
	}
	return "crash in " + strings.Join(frames, ", called by ") + ": " + normal(said)
}

// hexless replaces the addresses in s by "0x".
func hexless(s string) string {
	parts := strings.Split(s, "0x")
	for i, p := range parts[1:] {
		parts[i+1] = strings.TrimLeft(p, "0123456789abcdefABCDEF")
	}
	return strings.Join(parts, "0x")
}

// ownFrames returns the innermost functions of a stack that are not of the
// standard library, at most n, without their packages' paths and arguments.
func ownFrames(stack string, n int) []string {
	var out []string
	for line := range strings.Lines(stack) {
		if strings.HasPrefix(line, createdBy) || len(out) == n {
			break
		}
		if strings.HasPrefix(line, "\t") || standard(line) {
			continue
		}
		name := strings.TrimSpace(line[strings.LastIndexByte(line, '/')+1:])
		if end := strings.LastIndexByte(name, '('); end > 0 && strings.HasSuffix(name, ")") {
			name = name[:end]
		}
		out = append(out, name)
	}
	return out
}
