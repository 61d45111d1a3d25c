package spacetime

import (
	"slices"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A shape says how a step is drawn.
type shape byte

const (
	note   shape = iota // text on one side
	depart              // a frame leaves
	arrive              // a frame arrives, or is lost
	gap                 // what was folded away
)

// A step is one row of the listing.
type step struct {
	shape shape
	at    time.Duration
	seq   int // of its event; that of the frame's landing for an arrival that nobody observed
	call  int
	side  history.Side
	frame *frame        // depart, arrive
	texts []string      // the same said in ever fewer words; the first that fits on a line is drawn
	more  []string      // further lines, a stack
	wrote int           // gap: progress frames written, by the server
	reads int           // gap: progress frames read, by the client
	end   time.Duration // gap: when the last was written
	// What the margin says: the one is about the violation, the other about
	// the cancel.
	finding, aside string
	observed       bool // the step is an event of the history
	held           bool // it is the end of a write that took time
}

// readSteps turns the events into steps and keeps those that the scene shows.
func (sc *scene) readSteps() {
	for i, e := range sc.h.Events {
		if s, ok := sc.step(i, e); ok {
			s.at, s.seq, s.observed = e.At, i, true
			sc.steps = append(sc.steps, s)
		}
	}
	sc.addArrivals()
	switch {
	case sc.call != 0:
		sc.keepCall()
	case sc.client != 0:
		sc.keepClient()
	}
}

// step is what the i-th event e looks like; not ok if it is not drawn.
func (sc *scene) step(i int, e history.Event) (step, bool) {
	if f := sc.frames[i]; f != nil {
		return sc.wireStep(i, e, f), !f.hidden(i)
	}
	s := step{call: e.Call, side: e.Side}
	switch e.Kind {
	case history.Begin, history.Status, history.Drop, history.Gone, history.Finish, history.Fault, history.Cue:
		return sc.exchangeStep(i, e)
	case history.Wrote:
		return sc.wroteStep(i, e)
	case history.Goroutines:
		// The counts before the last are a curve, which a plot shows better.
		if i != sc.last[e.Kind] || !sc.closedBefore(i) {
			return s, false
		}
	case history.Hangup:
		if i > 0 && sc.h.Events[i-1].Kind == history.HalfClose {
			return s, false // the same, and not the client's doing
		}
	case history.Leak, history.Crash:
		s.more = foldStack(e.Text)
	case history.Unread, history.Read, history.Write:
		s.side = history.World // of neither side: a damaged event
	}
	s.texts = []string{sc.sentence(i, e)}
	if brief, ok := strings.CutPrefix(s.texts[0], "caller "); ok {
		s.texts = append(s.texts, brief)
	}
	return s, true
}

// wireStep is the step for one end of a frame.
func (sc *scene) wireStep(i int, e history.Event, f *frame) step {
	s := step{call: f.call, side: e.Side, frame: f}
	switch {
	case f.sort != message || f.unheard && f.sent != i:
		s = sc.signalStep(i, f)
	case e.Kind == history.Write:
		s.shape, s.texts = depart, sc.sentWords(f)
	case e.Kind == history.Read && !f.lies:
		s.shape, s.texts = arrive, sc.readWords(i, f)
	case e.Kind == history.Read:
		s.texts = []string{sc.readWords(i, f)[0] + ", " + short(e.At-f.arrived) + " after it arrived"}
	case f.lies && f.flight >= 0:
		s.texts = []string{name(f.msg) + ": never read"}
	default:
		s.shape, s.texts = arrive, []string{name(f.msg) + ": never arrived"}
	}
	s.aside = sc.aside(i, f)
	return s
}

// aside is what the margin says of the cancel beside an end of a frame.
func (sc *scene) aside(i int, f *frame) string {
	l := sc.calls[f.call]
	switch {
	case l == nil || f.call == 0:
	case l.cancelRead == i:
		return asides[sc.results[f.call].Phase]
	case f.sort == closing && f.landed == i && !sc.closingCancels() && f.exchange.asks > 0:
		return "not a cancel here"
	case f.exchange != nil && f.landed == i && f.msg != nil && f.msg.Kind == history.Request && l.cancelRead >= 0 && l.cancelRead < i:
		return "its cancel was here first"
	}
	return ""
}

// heldFrom is how long a message that HTTP carries must have been held for it to be told.
const heldFrom = time.Microsecond

// wroteStep shows the end of a Write only where there is something to it: it
// failed, or it was held.
func (sc *scene) wroteStep(i int, e history.Event) (step, bool) {
	f := sc.sent[e.Frame]
	if f == nil || f.from != e.Side {
		return step{}, false
	}
	s := step{call: f.call, side: e.Side}
	held := e.At - sc.h.Events[f.sent].At
	x := f.exchange
	switch {
	case x != nil && e.Text == "" && held < heldFrom:
		return s, false // the runtime's own moment
	case x != nil && e.Text == "" && sc.call == 0 && sc.client == 0 && sc.h.Header.Clients > 1:
		return s, false // of many clients there is enough to see
	case x != nil && e.Text != "" && x.dropped >= 0 && x.dropped < i:
		return s, false // given up, which its own row says
	case x != nil && e.Text != "" && x.finished > i && x.heads[atClient] < 0:
		return s, false // the exchange fails, which comes next
	case x != nil && e.Text == "" && held > 0 && x.fresh > 0 && f.from == history.Client:
		s.texts = []string{name(f.msg) + " leaves, by a new connection", "leaves, by a new connection"}
	case x != nil && e.Text == "" && held > 0 && x.entered < 0 && f.from == history.Client:
		s.texts = []string{name(f.msg) + " leaves, " + short(held) + " later", "leaves, " + short(held) + " later"}
	case e.Text != "" && x != nil:
		s.texts = []string{"write of " + name(f.msg) + " fails: " + lastError(e.Text)}
	case e.Text != "":
		s.texts = []string{"write of " + name(f.msg) + " fails: " + e.Text}
	case held > 0:
		s.texts, s.held = []string{"write of " + name(f.msg) + " returns, held for " + short(held)}, true
	default:
		return s, false
	}
	return s, true
}

// addArrivals inserts a step where a frame arrived and lay: no event of its
// own says so, the frame's landing does.
func (sc *scene) addArrivals() {
	var added []step
	for i, f := range sc.frames {
		if f == nil || !f.lies || f.landed != i || f.flight < 0 {
			continue
		}
		added = append(added, step{
			shape: arrive, at: f.arrived, seq: i, call: f.call, side: f.from.Peer(), frame: f,
			texts: []string{name(f.msg) + " arrives, unread", "arrives, unread"},
		})
	}
	for _, s := range added {
		sent := slices.IndexFunc(sc.steps, func(o step) bool { return o.shape == depart && o.frame == s.frame })
		if sent < 0 {
			continue
		}
		at := len(sc.steps)
		for k, o := range sc.steps[sent+1:] {
			if o.at > s.at || o.seq == s.seq {
				at = sent + 1 + k
				break
			}
		}
		sc.steps = slices.Insert(sc.steps, at, s)
	}
}

// keepCall drops the steps that are not about the scene's call: other calls,
// and the session's own before and beside it.
func (sc *scene) keepCall() {
	first, last := -1, -1
	for _, s := range sc.steps {
		if s.call == sc.call && s.observed && sc.h.Events[s.seq].Kind != history.Unread {
			if first < 0 {
				first = s.seq
			}
			last = s.seq
		}
	}
	sc.steps = slices.DeleteFunc(sc.steps, func(s step) bool {
		if s.call == sc.call {
			return false
		}
		during := first >= 0 && first < s.seq && s.seq < last
		return !sc.concerns(s, during)
	})
}

// concerns reports whether a step that is not the scene's call's tells
// something about it all the same.
func (sc *scene) concerns(s step, during bool) bool {
	e := sc.h.Events[s.seq]
	if c := sc.clientOf(s); c > 0 && c != sc.described(sc.call).Client && !sc.convicts(s.seq) {
		return false // another client's
	}
	switch e.Kind {
	case history.Crash, history.Horizon, history.Leak, history.Goroutines, history.Sessions:
		return true
	case history.Quiet, history.Probed:
		return s.call == 0
	case history.Closed:
		return s.call == 0 && (during || e.Text != "")
	case history.Probe:
		return s.call == 0 && !sc.has(history.Probed)
	case history.Close:
		return s.call == 0 && (during || !sc.has(history.Closed))
	case history.Change:
		return sc.convicts(s.seq)
	case history.EOF, history.Hangup, history.Served, history.HalfClose, history.Exit, history.Stop:
		return s.call == 0 && during
	}
	return false
}

// foldedFrom is how many progress frames of one call are folded together.
const foldedFrom = 4

// foldProgress replaces each run of the scene's progress frames, and of what
// the handler did to send them, by one step. A frame that proves the finding
// stays.
func (sc *scene) foldProgress(keep Finding) {
	if sc.call == 0 && sc.client == 0 {
		return
	}
	n := 0
	for _, s := range sc.steps {
		if s.shape == depart && isProgress(s.frame.msg) {
			n++
		}
	}
	if n < foldedFrom {
		return
	}
	evidence := sc.offences(keep)
	var steps []step
	for _, s := range sc.steps {
		if !sc.chatter(s, evidence) {
			steps = append(steps, s)
			continue
		}
		if len(steps) == 0 || steps[len(steps)-1].shape != gap || steps[len(steps)-1].call != s.call {
			steps = append(steps, step{shape: gap, at: s.at, seq: s.seq, call: s.call, side: history.Server})
		}
		steps[len(steps)-1].fold(s)
	}
	sc.steps = slices.DeleteFunc(steps, func(s step) bool { return s.shape == gap && s.wrote+s.reads == 0 })
}

// chatter reports whether s may be folded away.
func (sc *scene) chatter(s step, evidence map[int]bool) bool {
	if s.frame == nil {
		return s.observed && sc.h.Events[s.seq].Kind == history.Progress && !evidence[s.seq]
	}
	return isProgress(s.frame.msg) && !evidence[s.frame.sent] && !evidence[s.frame.landed]
}

// fold adds s to a gap.
func (g *step) fold(s step) {
	switch {
	case s.shape == depart:
		g.wrote++
		g.end = s.at
	case s.frame != nil && s.observed:
		g.reads++
	}
}
