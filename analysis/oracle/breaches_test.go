package oracle

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// fouls lists what can be made of a legal conversation: of each rule one breach at
// least.
func fouls() []foul {
	return slices.Concat(serverFouls(), clientFouls(), sessionFouls(), wireFouls())
}

func serverFouls() []foul {
	return []foul{{
		name: "a late response", rule: byEra("CANCEL-NO-RESPONSE", "CANCEL-SILENCE"),
		one: func(s *scene, c *fact) bool {
			if !c.obeys() || c.answered >= 0 {
				return false
			}
			s.put(c.told, 0, s.answer(c.Call.Call)...)
			return true
		},
	}, {
		name: "a second response", rule: alwaysBreaks("RESP-ONCE"),
		one: func(s *scene, c *fact) bool {
			if c.answered < 0 {
				return false
			}
			s.put(c.answered, 0, s.answer(c.Call.Call)...)
			return true
		},
	}, {
		name: "a handler that is not told", rule: alwaysBreaks("CANCEL-STOP-WORK"),
		one: func(s *scene, c *fact) bool {
			if !inOrder(c.start, c.cancelHeard, c.told, c.end) || !c.before(c.end) || !c.apart(c.cancelHeard, c.end) {
				return false
			}
			s.drop(fmt.Sprintf("server told %d", c.Call.Call))
			return true
		},
	}, {
		name: "progress for a call that was told to stop", rule: byEra("PROGRESS-AFTER-CANCEL", "CANCEL-SILENCE"),
		one: func(s *scene, c *fact) bool {
			if !c.obeys() || c.token == "" || c.answered >= 0 {
				return false
			}
			for range c.asks + 1 { // the tool may have asked for as many before
				s.put(c.told, 0, s.progress(c.Call.Call)...)
			}
			return true
		},
	}, {
		name: "a handler that is told for no reason", rule: alwaysBreaks("NO-SPURIOUS-CANCEL"),
		one: func(s *scene, c *fact) bool {
			if c.start < 0 || c.told >= 0 || c.cancel >= 0 || !c.before(c.start) || c.over >= 0 && !c.apart(c.start, c.over) {
				return false
			}
			s.put(c.start, 0, history.Event{Side: history.Server, Kind: history.Told, Call: c.Call.Call})
			return true
		},
	}, {
		name: "a cancel that hits another call", rule: alwaysBreaks("RACE-GRACEFUL"),
		one: func(s *scene, c *fact) bool {
			for _, other := range c.calls {
				hit := inOrder(other.start, c.cancelHeard, other.end) && other.told < 0 && other.cancel < 0
				if hit && c.before(c.cancelHeard) && (c.over < 0 || c.apart(c.cancelHeard, c.over)) {
					s.put(c.cancelHeard, 0, history.Event{Side: history.Server, Kind: history.Told, Call: other.Call.Call})
					return true
				}
			}
			return false
		},
	}, {
		name: "a request that is never answered", rule: alwaysBreaks("REQUEST-DISPATCHED"),
		one: func(s *scene, c *fact) bool {
			if !c.peaceful() || c.cancel >= 0 || c.answered < 0 || c.reused() {
				return false
			}
			s.erase(c.Call.Call, "reply")
			s.drop(fmt.Sprintf("client return %d", c.Call.Call))
			if tidied := fmt.Sprintf("client cancel %d", c.Call.Call); s.find(tidied) >= 0 {
				s.drop(tidied) // it came after the return, and would now be a cancel
			}
			s.strand()
			return true
		},
	}, {
		name: "an answer that is owed to a half-closed client", rule: byEra("EOF-DRAINS", ""),
		one: func(s *scene, c *fact) bool {
			if c.how != history.HalfClose || c.cancel >= 0 || !inOrder(c.facts.heard, c.answered) || c.answerGot < 0 {
				return false
			}
			s.erase(c.Call.Call, "reply")
			return true
		},
	}, {
		name: "a handler that is not told of its client's end", rule: alwaysBreaks("SHUT-STDIO-SERVER"),
		one: func(s *scene, c *fact) bool {
			if c.how != history.Close || !inOrder(c.start, c.facts.heard, c.told, c.end) || s.writing(history.Server, c.facts.heard) {
				return false
			}
			s.delay(c.end, time.Minute)
			s.drop(fmt.Sprintf("server told %d", c.Call.Call))
			return true
		},
	}}
}

func clientFouls() []foul {
	return []foul{{
		name: "a cancel of an unknown id", rule: alwaysBreaks("CANCEL-ONLY-ISSUED"),
		one: func(s *scene, c *fact) bool {
			if c.asked < 0 {
				return false
			}
			s.put(c.asked, 0, s.cancel(history.Client, `"no such"`)...)
			return true
		},
	}, {
		name: "a cancel that is never written", rule: notifying,
		one: func(s *scene, c *fact) bool {
			free := inOrder(c.asked, c.cancel) && c.cancelled >= 0 && !c.apart(c.cancel, c.cancelled)
			unanswered := c.answerGot < 0 || c.apart(c.cancel, c.answerGot)
			if !free || s.writing(history.Client, c.cancel) || !unanswered || !c.before(c.cancel) || c.over >= 0 && !c.apart(c.cancel, c.over) {
				return false
			}
			s.erase(c.Call.Call, "cancel")
			return true
		},
	}, {
		name: "a late value", rule: alwaysBreaks("LATE-IGNORED"),
		one: func(s *scene, c *fact) bool {
			if !inOrder(c.cancelled, c.answerGot) || c.ret > c.answerGot {
				return false
			}
			back := fmt.Sprintf("client return %d", c.Call.Call)
			s.move(back, nameOf(&c.events[c.answerGot]), 0)
			s.event(back).Text = ""
			return true
		},
	}, {
		name: "a caller who is never let go", rule: alwaysBreaks("CALLER-UNBLOCKS"),
		one: func(s *scene, c *fact) bool {
			if !c.peaceful() || !inOrder(c.asked, c.cancel) || c.ret < 0 {
				return false
			}
			s.drop(fmt.Sprintf("client return %d", c.Call.Call))
			s.strand()
			return true
		},
	}, {
		name: "a caller who waits for its cancel's being taken", rule: alwaysBreaks("CANCEL-NONBLOCKING"),
		one: func(s *scene, c *fact) bool {
			held := inOrder(c.asked, c.cancel, c.ret, c.cancelWrote) && c.apart(c.cancel, c.cancelWrote)
			unanswered := c.answerGot < 0 || c.answerGot > c.cancelWrote
			if !held || !unanswered || !c.before(c.cancelWrote) || c.wroteAfter(c.cancel) {
				return false
			}
			if c.apart(c.cancel, c.cancelled) || c.events[c.cancelWrote].Text != "" {
				return false // it waited for more than its own writing
			}
			s.move(fmt.Sprintf("client return %d", c.Call.Call), fmt.Sprintf("client wrote cancel %d", c.Call.Call), 0)
			return true
		},
	}, {
		name: "a cancel that a later call overtakes", rule: alwaysBreaks("CANCEL-ORDER"),
		one: func(s *scene, c *fact) bool {
			if !inOrder(c.asked, c.cancel, c.cancelled) || c.wroteAfter(c.cancel) || c.answerGot >= 0 && c.answerGot < c.cancel {
				return false
			}
			if c.reused() || s.find(fmt.Sprintf("client write cancel %d #2", c.Call.Call)) >= 0 {
				return false // it would be another one's; of two, one would do
			}
			for _, later := range c.calls {
				if inOrder(c.cancelled, c.cancelWrote, later.issue, later.asked) && c.apart(c.cancel, later.issue) {
					write, wrote := fmt.Sprintf("client write cancel %d", c.Call.Call), fmt.Sprintf("client wrote cancel %d", c.Call.Call)
					s.move(write, nameOf(&c.events[later.asked]), 0)
					s.move(wrote, write, 0)
					return true
				}
			}
			return false
		},
	}, {
		name: "a value of another call", rule: alwaysBreaks("ANSWER-OWN"),
		one: func(s *scene, c *fact) bool {
			for _, other := range c.calls {
				if other != c && c.value() && other.end >= 0 && other.events[other.end].Value != "" && other.end < c.ret {
					s.h.Events[c.ret].Value = other.events[other.end].Value
					return true
				}
			}
			return false
		},
	}, {
		name: "an error instead of a result", rule: alwaysBreaks("ANSWER-OWN"),
		one: func(s *scene, c *fact) bool {
			if !c.value() || c.cancel >= 0 || !c.before(c.ret) {
				return false
			}
			s.h.Events[c.ret].Text, s.h.Events[c.ret].Value = "oops", ""
			return true
		},
	}}
}

// wroteAfter reports whether the request was still being written at i.
func (c *fact) wroteAfter(i int) bool {
	for _, e := range c.events[:i] {
		if e.Kind == history.Wrote && e.Frame == c.events[c.asked].Frame {
			return false
		}
	}
	return true
}

// reused reports whether another request had the id of c later.
func (c *fact) reused() bool {
	mine := &c.events[c.asked]
	return slices.ContainsFunc(c.events[c.asked+1:], func(e history.Event) bool {
		return e.Kind == history.Write && e.Side == mine.Side && e.Msg.Kind == history.Request && e.Msg.ID == mine.Msg.ID
	})
}

// value reports whether the call returned the value of its own tool.
func (c *fact) value() bool {
	return c.end >= 0 && c.ret > c.end && c.events[c.ret].Text == "" && c.events[c.ret].Value != "" && c.events[c.end].Text == ""
}

func sessionFouls() []foul {
	amid := func(f *facts) int { // an event in the middle of the session
		for _, c := range f.calls {
			if c.asked >= 0 && f.before(c.asked) {
				return c.asked
			}
		}
		return -1
	}
	return []foul{{
		name: "a server that hangs up", rule: alwaysBreaks("SESSION-SURVIVES"),
		all: func(s *scene, f *facts) bool {
			i := amid(f)
			if i >= 0 {
				s.put(i, 0, history.Event{Side: history.Server, Kind: history.Hangup})
			}
			return i >= 0
		},
	}, {
		name: "a crash", rule: alwaysBreaks("SESSION-SURVIVES"),
		all: func(s *scene, f *facts) bool {
			i := amid(f)
			if i < 0 || f.how == history.Exit {
				return false // the code of a process that is dead
			}
			s.put(i, 0, history.Event{Side: history.World, Kind: history.Crash, Blame: "server", Text: "panic: no"})
			return true
		},
	}, {
		name: "a probe that fails", rule: alwaysBreaks("SESSION-SURVIVES"),
		all: func(s *scene, f *facts) bool {
			if f.peaceful() {
				s.event("client probed").Text = "no answer"
			}
			return f.peaceful()
		},
	}, {
		name: "a close that never returns", rule: alwaysBreaks("CLOSE-BOUNDED"),
		all: func(s *scene, f *facts) bool {
			if !f.peaceful() || s.find("client eof") < 0 {
				return false
			}
			s.drop("client closed")
			s.put(len(s.h.Events)-1, time.Hour, history.Event{Side: history.World, Kind: history.Horizon})
			return true
		},
	}, {
		name: "a server that leaks", rule: alwaysBreaks("NO-LEAK"),
		all: func(s *scene, f *facts) bool {
			if f.how == history.Exit {
				return false
			}
			s.put(len(s.h.Events)-1, 0, history.Event{
				Side: history.World, Kind: history.Leak, N: 1, Text: "example.org/x.(*Server).read(0x1)\n\tx.go:9\ncreated by example.org/x.(*Server).Run",
			})
			return true
		},
	}}
}
