package oracle

import (
	"slices"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A Budget is a time that an oracle needs and that no clause sets. What a history's
// header says of it goes before the default.
type Budget struct {
	Name    string
	Default time.Duration
	What    string   // it bounds, in a few words
	Why     string   // it is as long as it is
	Rules   []string // that are held to it
	// SetBy is what sets it where it is none of the judge's: a key of the scenario;
	// empty: --budget does.
	SetBy string
	Fixed bool // nothing sets it
}

// The budgets that --budget sets.
const (
	budgetGrace    = "grace"
	budgetShutdown = "shutdown"
	budgetStop     = "stop"
	budgetPing     = "ping"
	budgetIdle     = "idle"

	graceBudget    = 50 * time.Millisecond
	shutdownBudget = 10 * time.Second
	pingBudget     = 10 * time.Second
	idleBudget     = 10 * time.Second
)

// Budgets returns all budgets, by name.
func Budgets() []Budget {
	return []Budget{{
		Name: "close", Default: history.ClosePatience, Fixed: true,
		What:  "from the application's closing the client until Close, and the calls in flight, have returned",
		Why:   "The world waits no longer. In virtual time that is longer than any tool of the catalogue runs.",
		Rules: []string{"CLOSE-BOUNDED", "CALLER-UNBLOCKS"},
	}, {
		Name: budgetGrace, Default: graceBudget,
		What: "in wall time, for how long after a cancel, or another event that somebody has to know of, the order of two events proves nothing",
		Why:  "Several times what a loaded machine takes to wake the goroutine that has to know. In virtual time order is exact, and there is no grace.",
		Rules: []string{
			"CANCEL-NO-RESPONSE", "CANCEL-SILENCE", "CANCEL-STOP-WORK", "PROGRESS-AFTER-CANCEL", "CANCEL-NONBLOCKING", "CANCEL-ORDER",
			"CANCEL-STDIO-REQUIRED", "CANCEL-CLIENT-NOTIFIES", "RACE-GRACEFUL", "CANCEL-ONLY-INPROGRESS",
			"CANCEL-TASK-VIA-TASKS", "TASK-STOP-WORK", "TASK-RESULT-BLOCK", "PROGRESS-TASK", "LISTEN-ONLY-ASKED", "LISTEN-CANCEL",
			"CANCEL-HTTP-EXPLICIT", "CANCEL-HTTP-CLOSE", "TIMEOUT-CANCEL", "CALLER-UNBLOCKS", "DISC-IS-CANCEL", "DISC-SCOPED", "EXCHANGE-ENDED", "HTTP-202", "HTTP-SESSION", "HTTP-VERSION-HDR", "HTTP-TERMINATE", "SHUT-HTTP",
		},
	}, {
		Name: "horizon", Default: 10 * time.Minute, SetBy: "limits.horizon",
		What:  "until a world gives up: what has not happened by then counts as never",
		Why:   "Much longer than the longest call.",
		Rules: []string{"CALLER-UNBLOCKS", "REQUEST-DISPATCHED", "CANCEL-CLIENT-NOTIFIES", "CANCEL-STDIO-REQUIRED", "TIMEOUT-CANCEL", "CANCEL-HTTP-EXPLICIT", "CANCEL-HTTP-CLOSE"},
	}, {
		Name: budgetIdle, Default: idleBudget,
		What:  "over HTTP before 2026-07-28, for how long a session has to have been unused that its end is its running out",
		Why:   "A server may end a session at any time. What ends one that is in use is worth a look all the same, and no server waits less for who is idle.",
		Rules: []string{"SESSION-SURVIVES"},
	}, {
		Name: budgetPing, Default: pingBudget,
		What:  "from a ping's being read until its answer is begun",
		Why:   "\"Promptly\" has no bound, and computing takes no virtual time.",
		Rules: []string{"PING-PROMPT"},
	}, {
		Name: budgetShutdown, Default: shutdownBudget,
		What: "from a server's reading the end of its input until its handlers are told, and from their end until it ends; " +
			"from Close's return until the client has closed the server's input; " +
			"over HTTP, from the giving up of a call until its stream is closed, and from a notification's being read until its POST is answered",
		Why:   "Computing takes no virtual time, and clients that end their servers by force wait for some seconds before.",
		Rules: []string{"SHUT-STDIO-SERVER", "SHUT-STDIO-CLIENT", "CANCEL-HTTP-CLOSE", "HTTP-202"},
	}, {
		Name: budgetStop, Default: 0,
		What:  "from a cancel's being read until the handler is told",
		Why:   "Telling takes no virtual time, so any that passes is the implementation's choice.",
		Rules: []string{"CANCEL-STOP-WORK", "TASK-STOP-WORK", "DISC-IS-CANCEL"},
	}, {
		Name: "tell", Default: tellBound, Fixed: true,
		What:  "from a change until the server begins to tell a subscription of it",
		Why:   "No text says how soon, and some servers gather changes for a while.",
		Rules: []string{"LISTEN-DELIVERS"},
	}}
}

// FindBudget returns the budget with this name.
func FindBudget(name string) (Budget, bool) {
	all := Budgets()
	i := slices.IndexFunc(all, func(b Budget) bool { return b.Name == name })
	if i < 0 {
		return Budget{}, false
	}
	return all[i], true
}

// Budgets returns the budgets to which the rule is held, by name.
func (r Rule) Budgets() []Budget {
	return slices.DeleteFunc(Budgets(), func(b Budget) bool { return !slices.Contains(b.Rules, r.ID) })
}

// In is the budget under which the history with this header was recorded, or is to
// be judged.
func (b Budget) In(h history.Header) time.Duration {
	if given, ok := h.Budgets[b.Name]; ok {
		return given
	}
	if b.SetBy != "" {
		return h.Horizon
	}
	return b.Default
}

// allows is a budget of the judge's: what the header gives in place of a default.
func allows(h *history.Header, name string, otherwise time.Duration) time.Duration {
	if given, ok := h.Budgets[name]; ok {
		return given
	}
	return otherwise
}

// promptly is how long a server may take, once it has read the end of its input,
// to tell its handlers and, once they have ended, to end itself.
func (x *index) promptly() time.Duration { return allows(&x.header, budgetShutdown, shutdownBudget) }

// pong is how long a side may take to answer a ping.
func (x *index) pong() time.Duration { return allows(&x.header, budgetPing, pingBudget) }

// soon is how long after a cancel's being read its handler may be told.
func (x *index) soon() time.Duration { return x.grace + allows(&x.header, budgetStop, 0) }

// idled is how long a session has to have been unused that its end says nothing.
func (x *index) idled() time.Duration { return allows(&x.header, budgetIdle, idleBudget) }

// took notes how long something really took that a budget bounds.
func (t *tally) took(d time.Duration) { t.verdict.Took = append(t.verdict.Took, d) }
