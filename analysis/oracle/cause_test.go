package oracle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSignature(t *testing.T) {
	stack := "\ngoroutine 7 [running]:\npanic({0x1, 0x2})\n\t/usr/lib/panic.go:7\n" +
		"sync.(*Mutex).Unlock(0xc0001)\n\t/usr/lib/mutex.go:1\n" +
		"example.com/sdk/mcp.(*Server).handle(0xc000, {0x1, 0x2})\n\t/x/server.go:12 +0x1d\n" +
		"example.com/sdk/mcp.(*Server).run(...)\n\t/x/server.go:99\n" +
		"example.com/sdk/mcp.Serve()\ncreated by example.com/sdk/mcp.New in goroutine 1\n"
	for _, tc := range []struct {
		why  string
		a, b Violation
		same bool
	}{
		{"an error or a result, either is an answer", Violation{What: `answered with error 0 "context canceled"`, Cause: AnsweredCause},
			Violation{What: "answered with a result", Cause: AnsweredCause}, true},
		{"an answer and progress are mended in two places", Violation{Cause: AnsweredCause}, Violation{Cause: progressed}, false},
		{"numbers differ from world to world", Violation{What: "waited 12 ms for 3 calls"}, Violation{What: "waited 7 ms for 41 calls"}, true},
		{"so does what a target says", Violation{What: `said "a \" 1" and left`}, Violation{What: `said "b" and left`}, true},
		{"words tell", Violation{What: "said nothing"}, Violation{What: "said too much"}, false},
		{"an address is no cause", Violation{Cause: crashCause("panic: bad pointer 0xc00012" + stack)},
			Violation{Cause: crashCause("panic: bad pointer 0xdeadbeef" + strings.ReplaceAll(stack, "0xc0001", "0xc0002"))}, true},
		{"two places, two crashes", Violation{Cause: crashCause("panic: x" + stack)},
			Violation{Cause: crashCause("panic: x" + strings.ReplaceAll(stack, ".handle", ".cancel"))}, false},
		{"one place, two complaints", Violation{Cause: crashCause("panic: close of nil channel" + stack)},
			Violation{Cause: crashCause("panic: send on closed channel" + stack)}, false},
		{"where it was called from far above does not matter", Violation{Cause: crashCause("panic: x" + stack)},
			Violation{Cause: crashCause("panic: x" + strings.ReplaceAll(stack, "mcp.Serve", "mcp.Listen"))}, true},
	} {
		assert.Equal(t, tc.same, tc.a.Signature() == tc.b.Signature(), "%s: %q, %q", tc.why, tc.a.Signature(), tc.b.Signature())
	}
	assert.Equal(t, "crash in mcp.(*Server).handle, called by mcp.(*Server).run: panic: x", crashCause("panic: x"+stack))
	assert.Equal(t, "crash: exit status #", crashCause("exit status 2"), "a death without a stack")
	long := Violation{What: strings.Repeat("é", 500)}.Signature()
	assert.LessOrEqual(t, len(long), maxSignature)
	assert.NotContains(t, long, "�")
}

// What a rule checks call by call adds up to what it checked.
func TestExercisedAddsUp(t *testing.T) {
	perCall := map[string]bool{
		"CANCEL-NO-RESPONSE": true, "CANCEL-SILENCE": true, "CANCEL-STOP-WORK": true, "CANCEL-STDIO-REQUIRED": true,
		"CANCEL-CLIENT-NOTIFIES": true, "LATE-IGNORED": true, "PROGRESS-AFTER-CANCEL": true, "CALLER-UNBLOCKS": true,
	}
	seen := map[string]bool{}
	for _, h := range corpus(t) {
		for _, version := range []string{legacyVersion, modernVersion} {
			h.Header.SpecVersion = version
			for _, v := range Judge(h).Verdicts {
				if !perCall[v.Rule] {
					continue
				}
				n, failed := 0, 0
				for _, e := range v.Exercised {
					n, failed = n+e.N, failed+e.Failed
				}
				assert.Equal(t, v.Checked, n, v.Rule)
				assert.Equal(t, v.Failed, failed, v.Rule)
				seen[v.Rule] = seen[v.Rule] || n > 0
			}
		}
	}
	assert.Equal(t, perCall, seen, "all of them were exercised")
}
