package oracle

import (
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A builder is the state of the one pass that fills an index.
type builder struct {
	index
	seen     int // events
	now      time.Duration
	lastSeen *history.Event         // leaks aside
	places   int                    // calls that were announced
	requests int                    // that were begun
	ids      [2]map[string]*request // by the issuing side and the raw id: the latest request
	tokens   [2]map[string]*request // likewise by the progress token
	values   map[string]*call       // by what its tool returned: the first call
	named    [2]map[string]bool     // by the cancelling side: ids that it named and had never used
	active   [2]map[string]int      // by the issuing side and the progress token: requests whose response it has not read, and that are not forgotten
	writers  [2]writer              // by side, of what has an order of its own; see builder.pen
	// listening are the subscriptions that the server has read, until they are known
	// to be over, in that order.
	listening  []*request
	know       knowledge
	latest     decision // of the requests written so far, the one that was decided last
	pending    int      // calls that were made and have not returned
	holdingOut int      // tools that are running by their own doing
	stubborn   int      // tools that are running and do not stop when told

	callSlab    slab[call]
	requestSlab slab[request]
	frameSlab   slab[frame]
	periodSlab  slab[period]

	keep     bool // nothing is ever forgotten
	queue    queue
	lastGone int // the highest number of a frame that was forgotten

	root         *builder // of the world; of one with a single client, this one
	serial       int      // cancels that were begun in the world
	exchangeSlab slab[exchange]
	lastExchange int                   // the highest number of an exchange that was forgotten
	events       map[string]*sentEvent // by SSE event id
	parted       map[string]*parted    // streams that the client may resume, by the last id that it has
	recentEvents []string              // their ids, oldest first
	sent         int                   // SSE events with ids that were kept
	lastEvent    batchEvent
	lastTold     *call // the last whose handler was told

	offspring map[int][]int // in a conversation of nested calls: which a call's tool makes
}

func newBuilder(h history.Header) *builder {
	b := &builder{}
	b.root = b
	b.header = h
	b.modern = h.Modern()
	b.transport = transportOf(h)
	b.overHTTP = b.transport != Stdio
	b.disconnects = b.modern && b.transport == StreamableHTTP
	b.patience = h.Settle
	b.lastIssue = -1
	b.last = &history.Event{Seq: tomorrowSeq, At: tomorrow}
	b.sitting = &sitting{}
	if h.Clock == "wall" {
		b.grace = allows(&b.header, budgetGrace, graceBudget)
	}
	b.announce(h.Calls)
	return b
}

// newIndex sorts a whole history, whose events are numbered, and forgets nothing of it.
func newIndex(h *history.History) *index {
	b := newBuilder(h.Header)
	b.keep = true
	for i := range h.Events {
		b.take(&h.Events[i])
	}
	b.finish()
	return &b.index
}

// numbered returns events with Seq equal to the position; a damaged history is
// copied for that.
func numbered(events []history.Event) []history.Event {
	for i := range events {
		if events[i].Seq != i {
			fresh := append([]history.Event(nil), events...)
			for j := range fresh {
				fresh[j].Seq = j
			}
			return fresh
		}
	}
	return events
}

// room makes room at one go for a history of which nothing is forgotten.
func (b *builder) room(events []history.Event) {
	requests, frames, cancels := 0, 0, 0
	for i := range events {
		e := &events[i]
		if e.Kind != history.Write || e.Msg == nil {
			continue
		}
		frames++
		if e.Msg.Kind == history.Request {
			requests++
		} else if e.Msg.IsCancel() {
			cancels++
		}
	}
	b.requestSlab.room(requests)
	b.frameSlab.room(frames)
	b.periodSlab.room(cancels)
	b.frames.items = make([]*frame, 0, frames+1)
}

// maxRoom bounds the calls that have their room in common.
const maxRoom = 64

// announce takes further lines of the header.
func (b *builder) announce(calls []history.Call) {
	if b.places == 0 {
		b.callSlab.room(min(len(calls), maxRoom))
		b.calls.items = make([]*call, 0, min(len(calls), maxRoom))
	}
	for i := range calls {
		b.enter(calls[i], b.places)
		b.places++
	}
}

// enter takes a line of the header that stands at that place in it.
func (b *builder) enter(line history.Call, place int) {
	c := b.callSlab.next()
	c.Call, c.place = line, place
	b.patience += 2 * c.Work
	b.number(c)
	if line.Parent > 0 {
		if b.offspring == nil {
			b.offspring = map[int][]int{}
		}
		b.offspring[line.Parent] = append(b.offspring[line.Parent], line.Call)
	}
	b.calls.put(c.place, c)
}

// number notes under which number c goes.
func (b *builder) number(c *call) {
	n := c.Call.Call
	if c.place == 0 {
		b.lowest = n
	} else if n != b.highest+1 {
		b.gaps = true
	}
	b.highest = n
	if b.numbers == nil {
		if n == c.place+1 && b.part == whole {
			return
		}
		b.numbers = map[int]int{}
		for i := range min(c.place, b.places) {
			b.numbers[i+1] = i
		}
	}
	b.numbers[n] = c.place
}

// seat numbers the two sides.
func seat(s history.Side) int {
	if s == history.Server {
		return 1
	}
	return 0
}

// take sorts in the next event, which is kept.
func (b *builder) take(e *history.Event) {
	b.now = max(b.now, e.At)
	switch e.Kind {
	case history.Write, history.Wrote, history.Read, history.Unread:
		b.wire(e)
	case history.Issue, history.Cancel, history.Return:
		b.application(e)
	case history.Start, history.Told, history.End, history.Progress:
		b.handler(e)
	case history.Leak:
		b.leaks = append(b.leaks, e)
		return // counted long after the world's end
	case history.Change:
		b.changed(e)
	case history.Begin, history.Status, history.Drop, history.Gone, history.Finish, history.Fault:
		b.traffic(e)
	case history.Cue:
		b.cued(e)
	case history.Sessions:
		b.alive = e
	default:
		b.landmark(e)
	}
	b.lastSeen = e
	b.noteTide(e)
}

// finish says that there are no more events.
func (b *builder) finish() { b.last = b.lastSeen }
