package spacetime

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A frame is one message on its way, or over HTTP something else that goes from one
// side to the other. Its two ends are indices into the history's events, -1 where the
// history does not have them.
type frame struct {
	sort    sort
	msg     *history.Message
	from    history.Side
	call    int
	sent    int           // its Write
	landed  int           // its Read or Unread
	flight  time.Duration // from Write to arrival, the network's share; negative when unknown
	arrived time.Duration // negative: never, or unknown
	lies    bool          // it lay at the receiver before it was read, or was never read

	exchange *exchange // over HTTP: that carries it
	headed   bool      // it came with the response's head
	again    bool      // a message that was sent before, on a stream that resumes another
	unheard  bool      // the server saw the request's head, and did not read its body
	lost     bool      // nobody waits for it any more
}

// A scene is what a listing shows: the steps of one call, of one client, or of the world.
type scene struct {
	h *history.History
	view
	results map[int]oracle.CallResult
	judged  oracle.Judgement
	calls   map[int]*life
	frames  []*frame             // by event, nil where the event is not one of a frame's ends
	sent    map[int]*frame       // by the frame's number, those with a Write
	last    map[history.Kind]int // the last event of each kind
	steps   []step

	exchanges map[int]*exchange // by their numbers
}

// A life is what the history knows of one call, as indices into its events;
// -1 where it has none. Of repeated events the first counts.
type life struct {
	id               string // raw JSON id of its request
	issue, returned  int    // the caller's
	start, told, end int    // the handler's
	cancelRead       int    // its cancel, at the other side
}

func newLife() *life {
	return &life{issue: -1, returned: -1, start: -1, told: -1, end: -1, cancelRead: -1}
}

// newScene reads h once for its frames and calls, and once more for its steps.
func newScene(h *history.History, j oracle.Judgement, v view) *scene {
	sc := &scene{h: h, view: v, judged: j, results: map[int]oracle.CallResult{}, calls: map[int]*life{},
		sent: map[int]*frame{}, last: map[history.Kind]int{}}
	for _, r := range j.Calls {
		sc.results[r.Call] = r
	}
	sc.readFrames()
	sc.readExchanges()
	sc.readLives()
	sc.readSteps()
	return sc
}

// life returns the record of a call, made on first use.
func (sc *scene) life(call int) *life {
	if sc.calls[call] == nil {
		sc.calls[call] = newLife()
	}
	return sc.calls[call]
}

// readFrames joins the ends of each frame and finds out whose call it serves.
func (sc *scene) readFrames() {
	sc.frames = make([]*frame, len(sc.h.Events))
	ids := newIDs()
	for i, e := range sc.h.Events {
		sc.last[e.Kind] = i
		if e.Side != history.Client && e.Side != history.Server {
			continue
		}
		switch e.Kind {
		case history.Write:
			f := &frame{msg: e.Msg, from: e.Side, call: ids.call(e), sent: i, landed: -1, flight: -1, arrived: -1, again: ids.again(e)}
			sc.frames[i] = f
			if e.Frame > 0 {
				sc.sent[e.Frame] = f
			}
		case history.Read, history.Unread:
			f := sc.sent[e.Frame]
			if f == nil || f.landed >= 0 || f.from == e.Side {
				f = &frame{msg: e.Msg, from: e.Side.Peer(), call: ids.call(e), sent: -1, flight: -1, arrived: -1}
			}
			f.land(i, e, sc.h.Events)
			sc.frames[i] = f
		}
	}
}

// land records that the i-th event e took f off the wire.
func (f *frame) land(i int, e history.Event, events []history.Event) {
	f.landed = i
	if f.msg == nil {
		f.msg = e.Msg
	}
	f.arrived = e.Arrived
	switch {
	case e.Kind == history.Unread && e.Arrived == 0:
		f.arrived = -1
		return
	case e.Arrived == 0 || e.Arrived > e.At:
		f.arrived = e.At
	}
	f.lies = e.Kind == history.Unread || millis(f.arrived) != millis(e.At)
	if f.sent < 0 {
		f.lies = false
	} else if f.flight = f.arrived - events[f.sent].At; f.flight < 0 {
		f.flight, f.lies = -1, false
	}
}

// isProgress reports whether m is a notifications/progress.
func isProgress(m *history.Message) bool {
	return m != nil && m.Kind == history.Notification && m.Method == "notifications/progress"
}

// readLives finds the turning points of each call.
func (sc *scene) readLives() {
	for i, e := range sc.h.Events {
		if f := sc.frames[i]; f != nil {
			sc.readWireLife(i, e, f)
		} else if e.Kind == history.Gone {
			sc.readGone(i, sc.exchanges[e.Exchange])
		} else if e.Call != 0 {
			sc.life(e.Call).see(i, e.Kind)
		}
	}
}

// see records that the i-th event, of kind k, is the life's.
func (l *life) see(i int, k history.Kind) {
	var at *int
	switch k {
	case history.Issue:
		at = &l.issue
	case history.Return:
		at = &l.returned
	case history.Start:
		at = &l.start
	case history.Told:
		at = &l.told
	case history.End:
		at = &l.end
	default:
		return
	}
	if *at < 0 {
		*at = i
	}
}

// readWireLife is readLives for an end of a frame.
func (sc *scene) readWireLife(i int, e history.Event, f *frame) {
	if f.sort == closing && f.landed == i {
		sc.readGone(i, f.exchange)
	}
	if f.call == 0 || f.msg == nil {
		return
	}
	l := sc.life(f.call)
	switch {
	case f.msg.Kind == history.Request && l.id == "":
		l.id = f.msg.ID
	case f.msg.IsCancel() && e.Kind == history.Read && l.cancelRead < 0 && !sc.closingCancels():
		l.cancelRead = i
	}
}

// readGone is readLives for the server's seeing that the client of an exchange is gone.
func (sc *scene) readGone(i int, x *exchange) {
	if x == nil || x.call == 0 || x.asks == 0 || x.idle() || !sc.closingCancels() {
		return
	}
	if l := sc.life(x.call); l.cancelRead < 0 {
		l.cancelRead = i
	}
}

// has reports whether the history has an event of a kind.
func (sc *scene) has(k history.Kind) bool {
	_, ok := sc.last[k]
	return ok
}

// closedBefore reports whether the session had been closed by the i-th event.
func (sc *scene) closedBefore(i int) bool {
	at, ok := sc.last[history.Closed]
	return ok && at < i
}

// diedBefore reports whether the server's process had died by the i-th event.
func (sc *scene) diedBefore(i int) bool {
	at, ok := sc.last[history.Exit]
	return ok && at < i
}

// kindOf is the kind of the tool that a call of the header meant.
func (sc *scene) kindOf(call int) string {
	return sc.described(call).Handler
}

// described is the header's line of a call, a nested one too; empty if it has none.
func (sc *scene) described(call int) history.Call {
	is := func(c history.Call) bool { return c.Call == call }
	if i := slices.IndexFunc(sc.h.Header.Calls, is); i >= 0 {
		return sc.h.Header.Calls[i]
	}
	if i := slices.IndexFunc(sc.h.Header.Nested, is); i >= 0 {
		return sc.h.Header.Nested[i]
	}
	return history.Call{}
}

// isTask reports whether a call of the header is made as a task.
func (sc *scene) isTask(call int) bool {
	return slices.ContainsFunc(sc.h.Header.Calls, func(c history.Call) bool { return c.Call == call && c.Task != "" })
}

// asked is what a call asked for: a tool by its kind; something else by its method
// and the kind of what answers it, if the application does.
func (sc *scene) asked(call int) string {
	kind, method := strconv.Quote(sc.kindOf(call)), sc.methodOf(call)
	switch {
	case method == "":
		return kind
	case kind == `""` || sc.described(call).Parent > 0:
		return method
	}
	return method + " " + kind
}

// methodOf is the method of a call of the header, empty for tools/call.
func (sc *scene) methodOf(call int) string {
	if m := sc.described(call).Method; m != "tools/call" {
		return m
	}
	return ""
}

// origin is the instant from which the scene's times count: when its one call
// was issued, or the start of the world.
func (sc *scene) origin() time.Duration {
	if sc.call == 0 {
		return 0
	}
	if l := sc.calls[sc.call]; l != nil && l.issue >= 0 {
		return sc.h.Events[l.issue].At
	}
	if len(sc.steps) > 0 {
		return sc.steps[0].at
	}
	return 0
}

// numbers are the calls that the history knows of, ascending.
func (sc *scene) numbers() []int {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(sc.calls)), func(c int) bool { return c == 0 })
}

// clientOf is which of several clients a step is of; 0: there is one, or it is of the
// world.
func (sc *scene) clientOf(s step) int {
	if sc.h.Header.Clients < 2 {
		return 0
	}
	if c := sc.h.Events[s.seq].Client; c > 0 || s.call == 0 {
		return c
	}
	return sc.described(s.call).Client
}

// stranger is the client that a step is of where that is not the one shown; 0: it is.
func (sc *scene) stranger(s step) int {
	if c := sc.clientOf(s); c != sc.client {
		return c
	}
	return 0
}

// keepClient drops the steps of other clients than the scene's, but for the evidence.
func (sc *scene) keepClient() {
	proofs := map[*frame]bool{}
	for _, seq := range sc.evidence {
		if seq >= 0 && seq < len(sc.frames) && sc.frames[seq] != nil {
			proofs[sc.frames[seq]] = true
		}
	}
	sc.steps = slices.DeleteFunc(sc.steps, func(s step) bool {
		return sc.stranger(s) > 0 && !slices.Contains(sc.evidence, s.seq) && !proofs[s.frame]
	})
}

// whose says, where a whole world is shown, which call a step is of, or which client.
func (sc *scene) whose(s step) string {
	switch c := sc.stranger(s); {
	case sc.call != 0:
	case s.call != 0 && sc.client > 0 && c > 0:
		return "call " + strconv.Itoa(s.call) + " of client " + strconv.Itoa(c) + ": "
	case s.call != 0:
		return "call " + strconv.Itoa(s.call) + ": "
	case c > 0:
		return "client " + strconv.Itoa(c) + ": "
	}
	return ""
}
