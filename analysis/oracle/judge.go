package oracle

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Judge judges a history against all rules. It takes time in proportion to the
// number of events and changes nothing. It judges any history, however damaged,
// and convicts only on events that are there.
func Judge(h *history.History) Judgement {
	s := NewStream(h.Header, nil)
	s.results = make([]CallResult, 0, len(h.Header.Calls))
	if s.keep = len(h.Events) <= s.limit; s.keep { // there are fewer items than events
		s.room(h.Events)
	}
	events := numbered(h.Events)
	for i := range events {
		s.event(&events[i])
	}
	return s.Judgement()
}

// A check is one rule's oracle. It judges the world as a whole, or one by one its
// calls, requests, cancels or frames; whatever of that is not nil.
//
// A history is not held whole. An item is judged once, when it is over, and then
// forgotten; at the world's end, what is left is judged, and then the world. What is
// over at a time, and judged together, is
//
//   - an exchange: a request with its call, its first cancel and its first two replies.
//     It is over when the request was answered, or a cancel of it was read, every frame
//     that belongs to it has been written and read, its call has returned and the
//     handler has ended; see [request.over]. What else names it, such as progress and
//     further cancels, is over by itself;
//   - a call that no request is known of, when it has returned;
//   - any other frame, when it has been written and read;
//   - an HTTP exchange, when both ends are done with it. What its requests came to by
//     then is noted in it; they may be under way for longer, or be forgotten.
//
// An item that is over is judged when time has passed since (more than the grace, in
// wall time), and when the last 2048 that are over came after it: so an oracle has
// before it whatever comes in that time, and what is later than the item is later
// than all of its events. A world with fewer items is judged at its end alone.
//
// An oracle may rely on all fields of its item and of the exchange that it is part of;
// on [session], of which a landmark that is nil may still come, later than everything
// of the item; and on [index.lastWord], which is tomorrow while the world lives: as
// evidence it becomes the last event in the end. It does not look at other items,
// which may be forgotten or may not have come. What it needs to know of them is to be
// noted by the builder when an event passes, in the item or in the session, as events,
// numbers or instants and not as pointers to items, which would keep all that went
// before from being forgotten.
//
// Where a check needs an item for longer, [builder.ready] says so: it names the
// condition in [index.stays], for what is decided by the end of the world alone, or in
// [builder.unsettled]. Such conditions have to pass, or the item stays.
//
// Over HTTP a check is for whoever has the order on which it stands. What is done at one
// side has one, whatever carries it: reading, telling, answering. What travels by different
// exchanges has none, so that nothing may be concluded from its order at the other side;
// where a rule needs that, it has no level there ([Rule.LevelOver]), or its oracle says what
// else it looks at. The checks see one conversation, of one client with its server; in a
// world with many clients there is an index for each, see crowd.go.
//
// What is said of an item that is forgotten cannot be judged any more. Such a frame is
// [frame.forgotten] and has no request; a check that would have judged it leaves it
// uncounted, with whyForgotten. Ids that were never used can still be told.
type check struct {
	rule     string
	side     history.Side
	level    func(specVersion string) Level // over stdio; nil: the rule is one of HTTP alone
	world    func(x *index, t *tally)
	call     func(x *index, c *call, t *tally)     // each of the header's calls; at the world's end those that are left, in its order
	request  func(x *index, r *request, t *tally)  // each request of either side, likewise: when it is over, or in the order of writing
	cancel   func(x *index, f *frame, t *tally)    // each notifications/cancelled of either side, likewise
	frame    func(x *index, f *frame, t *tally)    // each frame that was begun, likewise; at the end by its number
	exchange func(x *index, e *exchange, t *tally) // each HTTP exchange, likewise
	streams  bool                                  // frame is about how a message travels, and looks at those that say what another has said, too
}

// checks lists the oracles in the order of [Rules].
func checks() []check {
	return slices.Concat(cancelChecks(), strayChecks(), aimChecks(), baseChecks(), progressChecks(), partingChecks(), heldChecks(), taskChecks(), listenChecks(),
		httpCancelChecks(), httpExchangeChecks(), httpStreamChecks(), httpEndChecks())
}

func cancelChecks() []check {
	return []check{
		{rule: "CANCEL-NO-RESPONSE", side: history.Server, level: always(Should), call: noResponse, frame: lateWord},
		{rule: "CANCEL-SILENCE", side: history.Server, level: modern(MustNot), call: silence, frame: lateWord},
		{rule: "CANCEL-STOP-WORK", side: history.Server, level: always(Should), call: stopWork, world: lateStart},
		{rule: "CANCEL-ONLY-ISSUED", side: history.World, level: always(Must), cancel: onlyIssued},
		{rule: "CANCEL-STDIO-REQUIRED", side: history.Client, level: modern(Must), call: notifies},
		{rule: "CANCEL-CLIENT-NOTIFIES", side: history.Client, level: since("2025-03-26", Should), call: notifies},
		{rule: "TIMEOUT-CANCEL", side: history.Client, level: since("2025-03-26", Should), call: notifiesTimeouts},
		{rule: "RESP-ONCE", side: history.World, level: always(Must), request: respondOnce, frame: lateReply},
		{rule: "RACE-GRACEFUL", side: history.World, level: always(Must), world: raceGraceful, call: bystander},
		{rule: "LATE-IGNORED", side: history.Client, level: always(Should), call: lateIgnored},
		{rule: "PROGRESS-AFTER-CANCEL", side: history.Server, level: progressLevel, call: progressAfterCancel, frame: lateReport},
		{rule: "SHUT-STDIO-SERVER", side: history.Server, level: shutdownLevel, world: shutdown},
		{rule: "SESSION-SURVIVES", side: history.World, level: always(Quality), world: sessionSurvives},
		{rule: "CALLER-UNBLOCKS", side: history.Client, level: always(Quality), call: callerUnblocks},
		{rule: "CANCEL-NONBLOCKING", side: history.Client, level: always(Quality), call: cancelNonblocking},
		{rule: "CANCEL-ORDER", side: history.Client, level: always(Quality), cancel: cancelOrder},
		{rule: "CLOSE-BOUNDED", side: history.World, level: always(Quality), world: closeBounded},
		{rule: "EOF-DRAINS", side: history.Server, level: until(lastLegacy, Quality), call: eofDrains},
		{rule: "REQUEST-DISPATCHED", side: history.Server, level: always(Quality), call: requestDispatched},
		{rule: "NO-SPURIOUS-CANCEL", side: history.Server, level: always(Quality), call: noSpuriousCancel},
		{rule: "ANSWER-OWN", side: history.World, level: always(Quality), call: answerOwn},
		{rule: nestedRule, side: history.Server, level: until(lastLegacy, Quality)}, // see nestedChecks
		{rule: "NO-LEAK", side: history.World, level: always(Quality), world: noLeak},
	}
}

func always(l Level) func(string) Level { return func(string) Level { return l } }

func modern(l Level) func(string) Level { return since(modernEra, l) }

// since is the level of a rule that came with a version. Versions are dates, so
// text compares them.
func since(version string, l Level) func(string) Level {
	return func(v string) Level {
		if v < version {
			return ""
		}
		return l
	}
}

// until is the level of a rule that later versions do not have.
func until(version string, l Level) func(string) Level {
	return func(v string) Level {
		if v > version {
			return ""
		}
		return l
	}
}

func shutdownLevel(v string) Level {
	if l := modern(Should)(v); l != "" {
		return l
	}
	return Quality
}

func progressLevel(v string) Level {
	if l := modern(MustNot)(v); l != "" {
		return l
	}
	return Should
}

// imply marks the verdicts whose acts are all reported under a stricter rule, and
// no others.
func imply(verdicts []Verdict) {
	failed := func(rule string) bool {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Rule == rule })
		return i >= 0 && verdicts[i].Status == Fail
	}
	for i := range verdicts {
		if v := &verdicts[i]; v.Implied != "" && !failed(v.Implied) {
			v.Implied = ""
		}
	}
	for _, p := range implications() {
		for i := range verdicts {
			if v := &verdicts[i]; v.Rule == p.rule && v.Status == Fail && failed(p.stricter) {
				v.Implied = p.stricter
			}
		}
	}
}

type implication struct{ rule, stricter string }

// implications lists the rules whose every breach is one of a stricter rule,
// wherever the version has that. Of others, now this act is and now that is not;
// their oracles tell the two apart.
func implications() [4]implication {
	return [...]implication{
		{"CANCEL-NO-RESPONSE", "CANCEL-SILENCE"},
		{"PROGRESS-AFTER-CANCEL", "CANCEL-SILENCE"},
		{"CANCEL-CLIENT-NOTIFIES", "CANCEL-STDIO-REQUIRED"},
		{"CANCEL-STOP-WORK", "DISC-IS-CANCEL"}, // over HTTP, where the version has it
	}
}
