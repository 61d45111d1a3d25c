package oracle

import (
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What an oracle needs to know of other items is noted when an event passes, so that
// nobody has to look for it among what may be forgotten by then.

// A knowledge is the last event by which each side knew of a cancel: it had read it,
// had written it, or, the client, its caller had given up.
type knowledge struct {
	of   [2]*history.Event // by side
	read [2]*history.Event // likewise, what it had not set going itself
	any  *history.Event    // what either side had set going itself
}

// side returns what a side knew; of World, what either had set going itself.
func (k *knowledge) side(s history.Side) *history.Event {
	if s != history.Client && s != history.Server {
		return k.any
	}
	return k.of[seat(s)]
}

// A moment is how things stood at an event.
type moment struct {
	at       *history.Event
	known    knowledge
	busy     [2]*stretch       // of each side's writing; nil: the writer was free
	since    [2]*history.Event // the first Write of that, and of what came right before it
	flying   []*frame          // begun, and not read by then, by number
	cancels  int               // begun by then
	holdsOut int               // tools that were running by their own doing
	stubborn int               // tools that were running and do not stop when told
}

// moment returns how things stood at e, which is a landmark; otherwise nil.
func (x *index) moment(e *history.Event) *moment {
	for i := range x.moments {
		if x.moments[i].at == e {
			return &x.moments[i]
		}
	}
	return nil
}

// known returns the last event before the landmark e by which a side knew of a
// cancel; see knowledge. It is nil where there is none: a cancel can then have had no
// part in e.
func (x *index) known(side history.Side, e *history.Event) *history.Event {
	if m := x.moment(e); m != nil {
		return m.known.side(side)
	}
	return nil
}

// A stretch is the time in which a side's Writes were under way, one behind the
// other, since the network did not take them.
type stretch struct{ free *history.Event } // its end; nil: it had none

// freed returns the event from which on a side's writer had a moment to itself: the
// landmark e, or the end of the last of the Writes that were under way one behind the
// other; nil if that did not come.
func (x *index) freed(side history.Side, e *history.Event) *history.Event {
	if m := x.moment(e); m != nil && m.busy[seat(side)] != nil {
		return m.busy[seat(side)].free
	}
	return e
}

// writingSince returns since when a side's writer had had no moment to itself at the
// landmark e; nil if it was free.
func (x *index) writingSince(side history.Side, e *history.Event) *history.Event {
	if m := x.moment(e); m != nil {
		return m.since[seat(side)]
	}
	return nil
}

// A period is like a stretch, but a writer that ends one Write and begins the next in
// the same instant had no moment to itself.
type period struct {
	since *history.Event // its first Write
	open  int            // Writes under way
	free  *history.Event // the end of the last that ended
}

// over reports whether e comes after the period.
func (p *period) over(e *history.Event) bool {
	return p.open == 0 && (p.free == nil || e.At > p.free.At)
}

// freeAfter returns the event by which the client's writer, which was writing f,
// first had a moment to itself; nil if it never had.
func freeAfter(f *frame) *history.Event {
	if f.period == nil || f.period.open > 0 {
		return nil
	}
	return f.period.free
}

// A writer keeps account of what one side writes.
type writer struct {
	open    *frame // the first of those that it is just writing
	writing int    // how many it is just writing
	asked   *stretch
	period  period
	shared  *period // the same, once somebody has asked
}

// begin notes that e begins a Write.
func (w *writer) begin(f *frame) {
	if w.open == nil {
		w.open = f
	}
	w.writing++
	if p := w.current(); p.over(f.write) {
		w.period, w.shared = period{since: f.write}, nil
	}
	f.since = w.current().since
	w.current().open++
}

// end notes that the Write of f ended.
func (w *writer) end(f *frame) {
	if w.open == f {
		w.open = nil
	}
	w.writing--
	p := w.current()
	p.open--
	p.free = f.wrote
	if w.writing == 0 && w.asked != nil {
		w.asked.free = f.wrote
		w.asked = nil
	}
}

func (w *writer) current() *period {
	if w.shared != nil {
		return w.shared
	}
	return &w.period
}

// busy returns the stretch of writing that is under way, or nil.
func (w *writer) busy() *stretch {
	if w.writing > 0 && w.asked == nil {
		w.asked = &stretch{}
	}
	return w.asked
}

// share returns the period that is under way, to be kept.
func (w *writer) share(b *builder) *period {
	if w.shared == nil {
		w.shared = b.periodSlab.next()
		*w.shared = w.period
	}
	return w.shared
}

// writing returns the frame that the client was just writing when the caller of c gave
// up, and that a cancel would have had to wait for: over HTTP, where no POST waits for
// another, the request itself; of what a server had asked, whatever it writes to the stream
// by which it had. It is nil where there is none.
func (b *builder) writing(c *call) *frame {
	switch {
	case !b.overHTTP:
		return b.writers[seat(history.Client)].open
	case c.req != nil:
		return b.pen(c.req.frame).open
	}
	return nil
}

// learn notes that a side knows of a cancel, by e; caused, that the side set it going
// itself.
func (b *builder) learn(side history.Side, e *history.Event, caused bool) {
	for _, k := range [...]*knowledge{&b.know, &b.root.know} {
		k.of[seat(side)] = e
		if caused {
			k.any = e
		} else {
			k.read[seat(side)] = e
		}
	}
}

// count counts a cancel, and returns how many there were in the world before.
func (b *builder) count() int {
	n := b.root.serial
	b.root.serial++
	b.cancels++
	if b.root != b {
		b.root.cancels++
	}
	return n
}

// mark notes how things stand at the landmark e.
func (b *builder) mark(e *history.Event, frames bool) {
	m := moment{
		at: e, known: b.know, cancels: b.cancels, holdsOut: b.holdingOut, stubborn: b.stubborn,
		busy: [2]*stretch{b.writers[0].busy(), b.writers[1].busy()},
	}
	for i := range b.writers {
		if w := &b.writers[i]; w.writing > 0 {
			m.since[i] = w.current().since
		}
	}
	if frames {
		for f := range b.frames.all() {
			if f.write != nil && f.read == nil {
				m.flying = append(m.flying, f)
			}
		}
	}
	if b.moments == nil {
		b.moments = make([]moment, 0, 6)
	}
	b.moments = append(b.moments, m)
}

// noteUnclaimed notes that the client wrote a request that is no call's for all that
// is known.
func (b *builder) noteUnclaimed(r *request) {
	switch method := r.frame.msg.Method; {
	case b.probe != nil:
		b.probing = r
	case len(b.unclaimed) < maxUnclaimed && !slices.Contains(b.unclaimed, method):
		b.unclaimed = append(b.unclaimed, method)
	}
}

// maxUnclaimed bounds the methods that are remembered. There are fewer.
const maxUnclaimed = 64
