package oracle

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A foul makes one named breach of a rule in a legal conversation, with as few
// acts as it takes. The rule that it breaks must then fail, whatever else does.
type foul struct {
	name string
	rule func(version string, c *fact) string // "": the version has none
	// one breaks the rule on a call, all on the world; false: there is nothing here to
	// break it on.
	one func(s *scene, c *fact) bool
	all func(s *scene, f *facts) bool
}

func TestBreachesOfLegalConversationsAreConvicted(t *testing.T) {
	convicted := map[string]int{}
	judged := map[string]bool{}
	for _, r := range Rules() {
		judged[r.ID] = true
	}
	conversations(t, 400, func(rt *rapid.T, h *history.History) {
		f := factsOf(h)
		for _, b := range fouls() {
			s := stage(t, h)
			rule, done := b.commit(s, f)
			if !done || !judged[rule] {
				continue
			}
			j := Judge(s.h)
			requireSound(t, s.h, j)
			if !convicts(t, j, rule) {
				v := verdictOf(t, j, rule)
				rt.Fatalf("%s: %s: %s, uncounted %v\n%s", b.name, rule, v.Status, v.Uncounted, listing(s.h))
			}
			convicted[b.name]++
			convicted[rule]++
		}
	})
	for _, b := range fouls() {
		assert.True(t, convicted[b.name] > 0 || !b.breaksAny(judged), "no conversation had anything to break by: %s", b.name)
	}
	for _, r := range Rules() {
		if convicted[r.ID] == 0 {
			t.Logf("no breach of %s is made here", r.ID)
		}
	}
}

// breaksAny reports whether the foul breaks one of the rules at some version. Of rules
// that have no oracle yet it breaks none.
func (b foul) breaksAny(judged map[string]bool) bool {
	for _, v := range versions() {
		for _, cause := range []string{"cancel", "deadline"} {
			c := &fact{cancel: 0, events: []history.Event{{Text: cause}}}
			if judged[b.rule(v, c)] {
				return true
			}
		}
	}
	return false
}

// convicts reports whether the rule failed, or a stricter one under which the act is
// reported.
func convicts(t testing.TB, j Judgement, rule string) bool {
	v := verdictOf(t, j, rule)
	return v.Status == Fail || slices.ContainsFunc(v.Uncounted, func(u Uncounted) bool {
		stricter, ok := strings.CutPrefix(u.Why, reportedUnder)
		return ok && verdictOf(t, j, stricter).Status == Fail
	})
}

// commit makes the breach, on the first call that it can be made on.
func (b foul) commit(s *scene, f *facts) (rule string, done bool) {
	if b.all != nil {
		rule = b.rule(f.version, nil)
		return rule, rule != "" && b.all(s, f)
	}
	for _, c := range f.calls {
		if b.rule(f.version, c) != "" && b.one(s, c) {
			return b.rule(f.version, c), true
		}
	}
	return "", false
}

// Facts are where the events of a conversation are.
type facts struct {
	version string
	calls   []*fact
	over    int // the first sign of the session's end
	quiet   int
	heard   int // the server's reading of the end of its input
	how     history.Kind
}

// A fact is where the events of a call are, -1 for what did not happen. It points
// into the history as it was.
type fact struct {
	*facts
	history.Call
	events                           []history.Event
	issue, cancel, ret               int
	start, told, end                 int
	asked, heard                     int // the request's being written, and read
	cancelled, cancelHeard           int // the first cancel's
	cancelWrote                      int
	answered, answerWrote, answerGot int // the first response's
	token                            string
	asks                             int // for progress
}

func factsOf(h *history.History) *facts {
	f := &facts{version: h.Header.SpecVersion, over: -1, quiet: -1, heard: -1}
	for _, c := range h.Header.Calls {
		f.calls = append(f.calls, &fact{
			facts: f, Call: c, events: h.Events, issue: -1, cancel: -1, ret: -1, start: -1, told: -1, end: -1, asked: -1, heard: -1,
			cancelled: -1, cancelHeard: -1, cancelWrote: -1, answered: -1, answerWrote: -1, answerGot: -1,
		})
	}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Call > 0 {
			f.calls[e.Call-1].take(i, e)
			continue
		}
		switch e.Kind {
		case history.Close, history.HalfClose, history.Exit, history.Hangup, history.EOF:
			if first(&f.over, i) {
				f.how = e.Kind
			}
			if e.Kind == history.EOF && e.Side == history.Server {
				first(&f.heard, i)
			}
		case history.Quiet:
			first(&f.quiet, i)
		}
	}
	return f
}

func first(at *int, i int) bool {
	if *at >= 0 {
		return false
	}
	*at = i
	return true
}

func (c *fact) take(i int, e *history.Event) {
	switch e.Kind {
	case history.Issue:
		first(&c.issue, i)
	case history.Cancel:
		if c.ret < 0 {
			first(&c.cancel, i)
		}
	case history.Return:
		first(&c.ret, i)
	case history.Start:
		first(&c.start, i)
	case history.Told:
		first(&c.told, i)
	case history.End:
		first(&c.end, i)
	case history.Progress:
		c.asks++
	case history.Write:
		c.wire(i, e, &c.asked, &c.cancelled, &c.answered)
		if e.Msg.Kind == history.Request {
			c.token = e.Msg.Token
		}
	case history.Wrote:
		c.wire(i, e, new(int), &c.cancelWrote, &c.answerWrote)
	case history.Read:
		c.wire(i, e, &c.heard, &c.cancelHeard, &c.answerGot)
	}
}

func (c *fact) wire(i int, e *history.Event, request, cancel, reply *int) {
	switch frameName(e.Msg) {
	case "request":
		first(request, i)
	case "cancel":
		first(cancel, i)
	case "reply":
		first(reply, i)
	}
}

// inOrder reports whether all of it happened, in this order.
func inOrder(at ...int) bool { return at[0] >= 0 && slices.IsSorted(at) }

// before reports whether i happened before the session's end, or there was none.
func (f *facts) before(i int) bool { return i >= 0 && (f.over < 0 || i < f.over) }

// apart reports whether both happened, and time passed between them.
func (c *fact) apart(i, j int) bool { return i >= 0 && j >= 0 && c.events[i].At < c.events[j].At }

// peaceful reports whether the session was closed when all was quiet.
func (f *facts) peaceful() bool { return f.how == history.Close && f.quiet >= 0 && f.quiet < f.over }

// obeys reports whether the call was cancelled while it ran, and told before the
// session's end.
func (c *fact) obeys() bool {
	return c.Obedient() && inOrder(c.start, c.cancelHeard, c.told) && c.before(c.told)
}

// always is a rule of all versions.
func alwaysBreaks(rule string) func(string, *fact) string {
	return func(string, *fact) string { return rule }
}

// byEra is a rule that another one took the place of.
func byEra(legacy, modern string) func(string, *fact) string {
	return func(v string, _ *fact) string {
		if v >= modernVersion {
			return modern
		}
		return legacy
	}
}

// notifying is the rule that a client breaks which does not tell the server.
func notifying(v string, c *fact) string {
	switch {
	case v < "2025-03-26" || c.cancel < 0:
		return ""
	case c.events[c.cancel].Text == "deadline":
		return "TIMEOUT-CANCEL"
	case v >= modernVersion:
		return "CANCEL-STDIO-REQUIRED"
	}
	return "CANCEL-CLIENT-NOTIFIES"
}

// erase takes away the events of a call's frames of one name.
func (s *scene) erase(call int, name string) {
	s.h.Events = slices.DeleteFunc(s.h.Events, func(e history.Event) bool {
		return e.Call == call && e.Msg != nil && frameName(e.Msg) == name
	})
	s.number()
}

// strand ends the history at the world's limit instead of its quiet end.
func (s *scene) strand() {
	i := s.at("world quiet")
	s.h.Events = s.h.Events[:i]
	s.put(i-1, time.Minute, history.Event{Side: history.World, Kind: history.Horizon})
}

// delay moves everything from an event on.
func (s *scene) delay(from int, by time.Duration) {
	for i := from; i < len(s.h.Events); i++ {
		s.h.Events[i].At += by
	}
}
