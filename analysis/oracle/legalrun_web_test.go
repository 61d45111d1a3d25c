package oracle

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim/history"
)

// TestLegalWebConversationsAreNeverConvicted: whoever keeps every rule over HTTP is accused
// of nothing either.
func TestLegalWebConversationsAreNeverConvicted(t *testing.T) {
	seen := census{}
	drawn(t, 2000, func(rt *rapid.T) *history.History { return legalWeb(rt, t) }, func(rt *rapid.T, h *history.History) {
		j := Judge(h)
		requireSound(t, h, j)
		requireInnocent(rt, h, j, Pass, Vacuous)
		seen.take(h, j)
		seen.web(h)
		h.Header.Clock = "wall"
		requireInnocent(rt, h, Judge(h), Pass, Vacuous, Ambiguous)
	})
	for _, what := range worthSeeingOverHTTP() {
		if seen[what] == 0 {
			t.Errorf("the conversations must be worth judging: %s", what)
		}
	}
}

// web counts what the exchanges had in them.
func (c census) web(h *history.History) {
	c["transport "+h.Header.Transport]++
	if h.Header.Clients > 0 {
		c["many clients"]++
	}
	gets, begun := map[int]bool{}, map[int]bool{}
	for _, e := range h.Events {
		switch e.Kind {
		case history.Status:
			if e.HTTP.ContentType == jsonType {
				c["JSON"]++
			}
		case history.Write:
			if e.Side == history.Server && e.Msg.Kind == history.Request && e.Call > 0 && gets[e.Exchange] {
				c["asked by GET"]++
			}
			if e.Msg.Method == initializeMethod {
				if begun[e.Client] {
					c["session again"]++
				}
				begun[e.Client] = true
			}
			if e.Msg.Method == listenMethod && e.Call == 0 {
				c["subscription made again"]++
			}
		case history.Drop, history.Gone, history.Fault, history.Sessions:
			c[string(e.Kind)]++
		case history.Begin:
			gets[e.Exchange] = gets[e.Exchange] || e.HTTP.Method == "GET"
			if e.HTTP.LastEvent != "" {
				c["resumed"]++
			}
		}
	}
}

func worthSeeingOverHTTP() []string {
	out := []string{
		"transport " + string(StreamableHTTP), "transport " + string(HTTPSSE), "many clients", "resumed", "drop", "gone", "fault",
		whyResponseBefore, whyHandlerOver, whySameInstant, whyPremature, whyOnlyTold, whyResumed, whyPosted, whyNoCleanEnd, whyRefused,
		whyReplyFirst, whyClosing, whyResponseRead, whyRepeated, whyNoSession, whyNotTaken, whyNoStream, "JSON", "subscription made again", "asked by GET", "session again",
		"phase before-request", "phase queued", "phase running", "phase returned", "phase crossing", "phase after-response", "phase undelivered",
	}
	for _, r := range Rules() {
		if r.Judged(StreamableHTTP) && !slices.Contains(neverDrawn(), r.ID) {
			out = append(out, "rule "+r.ID)
		}
	}
	return out
}

// neverDrawn are the rules that legal conversations over HTTP do not put to the test.
func neverDrawn() []string {
	return []string{
		"CANCEL-FREE", "LATE-NO-LEAK", "CANCEL-TASK-VIA-TASKS", "TASK-CANCEL-TERMINAL", "TASK-CANCEL-TRANSITION", "TASK-STOP-WORK",
		"TASK-CANCEL-STICKY", "TASK-TERMINAL-FINAL", "TASK-RESULT-BLOCK", "TASK-UNKNOWN", "PROGRESS-TASK",
		"LISTEN-NO-REQ-SCOPED", "CANCEL-NONBLOCKING",
		"CANCEL-INIT", "CANCEL-SAME-DIRECTION",
	}
}
