package reference

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A stream is the outlet of a lane over HTTP: what the server says in answer to one POST,
// or on a stream of the client's own. In the legacy era it outlives the exchange that
// carries it. What is said meanwhile is kept, and replayed to a client that resumes:
//
//	POST 7   ◀─ 3-1 ◀─ 3-2 ◀─ ✂
//	handler                     … 3-3 … 3-4        both are kept
//	GET, Last-Event-ID: 3-2     ◀─ 3-3 ◀─ 3-4 ◀─ 3-5
//
// All of it is the turn's who has the lane's.
type stream struct {
	lane    *lane
	number  int  // of the stream in its session, in the ids of its events; negative: they have none
	plain   bool // the one frame that goes by it is the body, as a JSON object
	kept    []event
	first   int // the number of the first of kept
	next    int // of the event that comes next, from 1
	said    int // the number of the last that an exchange has carried
	carrier *exchange
	defect  defect
}

// An exchange is one HTTP exchange that carries a stream, or nothing yet.
type exchange struct {
	w     http.ResponseWriter
	flush func() error
	taken chan struct{}   // closed when another exchange carries the stream
	shut  <-chan struct{} // closed when the session is over: nothing is written any more. Nil: there is none
	begun bool            // its head is written
}

func newExchange(w http.ResponseWriter, shut <-chan struct{}) *exchange {
	return &exchange{w: w, flush: http.NewResponseController(w).Flush, taken: make(chan struct{}), shut: shut}
}

// isShut reports whether the session is over.
func (x *exchange) isShut() bool {
	select {
	case <-x.shut:
		return true
	default:
		return false
	}
}

// maxKept is how many events a stream keeps for who resumes it.
const maxKept = 1000

// newStream makes a stream with a lane that has one writer.
func newStream(d defect, number int) *stream {
	st := &stream{defect: d, number: number, first: 1, next: 1}
	st.lane = newLane(st)
	return st
}

// send keeps a frame and writes it to the exchange that carries the stream, if one does.
// The caller has the turn.
func (st *stream) send(frame []byte) {
	if st.plain {
		st.answer(frame)
		return
	}
	st.emit(event{data: string(frame), name: "message"})
}

// answer writes the one frame of a plain stream.
func (st *stream) answer(frame []byte) {
	x := st.carrier
	if x == nil || x.begun || x.isShut() {
		return
	}
	x.begun = true
	x.w.Header().Set("Content-Type", jsonType)
	// Who has gone does not need it.
	_, _ = x.w.Write(frame)
}

// emit keeps an event and writes it.
func (st *stream) emit(e event) {
	if st.number >= 0 {
		e.id = st.idOf()
		if st.kept = append(st.kept, e); len(st.kept) > maxKept {
			st.kept, st.first = st.kept[1:], st.first+1
		}
	}
	st.next++
	if st.carrier != nil {
		st.said = st.next - 1
	}
	st.write(e)
	st.afterEvent()
}

// write writes an event to the exchange that carries the stream. One that cannot be
// written to carries it no longer.
func (st *stream) write(e event) {
	x := st.carrier
	if x == nil || x.isShut() {
		return
	}
	_, err := x.w.Write(appendEvent(nil, e))
	if err == nil {
		err = x.flush()
	}
	if err != nil {
		st.detach(x)
	}
}

// detach has x carry the stream no longer. The caller has the turn.
func (st *stream) detach(x *exchange) {
	if st.carrier == x {
		st.carrier = nil
		close(x.taken)
	}
}

// attach has x carry the stream from now on. The caller has the turn.
func (st *stream) attach(x *exchange) {
	if st.carrier != nil && st.carrier != x {
		st.detach(st.carrier)
	}
	st.carrier = x
	if st.plain {
		return
	}
	x.begun = true
	x.w.Header().Set("Content-Type", eventType)
	x.w.Header().Set("Cache-Control", "no-cache")
	x.w.Header().Set("X-Accel-Buffering", "no")
	x.w.WriteHeader(http.StatusOK)
	if x.flush() != nil {
		st.detach(x)
	}
}

// retryAfter is how long a client is to wait before it connects again.
const retryAfter = 500 * time.Millisecond

// prime begins the stream with an event that a client can resume it from, where the
// version wants that: "the server SHOULD immediately send an SSE event consisting of an
// event ID and an empty data field".
func (st *stream) prime(version string) {
	if protocol.PrimesStreams(version) {
		st.emit(event{retry: st.wait(retryAfter)})
	}
}

// part has the exchange that carries the stream end, and the client resume it after that
// time. Nothing happens if no exchange does, or if nothing more is to come.
func (st *stream) part(wait time.Duration) {
	st.lane.take()
	defer st.lane.yield()
	if st.plain || st.carrier == nil || st.lane.dead() {
		return
	}
	st.write(event{retry: st.wait(wait)})
	if st.carrier != nil { // it could be written
		st.detach(st.carrier)
	}
}

// replay writes what was kept behind the event of that number. Of requests that have been
// cancelled nothing is said any more, not even again.
func (st *stream) replay(behind int) {
	for i, e := range st.kept {
		if st.first+i > behind && !st.lane.dead() {
			st.write(e)
		}
	}
	if st.carrier != nil {
		st.said = st.next - 1
	}
}

// catchUp writes what was kept since nobody carried it, to a client that does not resume.
func (st *stream) catchUp() { st.replay(st.said) }

// has reports whether all that came behind the event of that number is kept.
func (st *stream) has(number int) bool { return number >= st.first-1 && number < st.next && number > 0 }

// leave has x carry the stream no longer, and returns when nobody writes to it any more.
func (st *stream) leave(x *exchange) {
	st.lane.take()
	defer st.lane.yield()
	st.detach(x)
}

// finish is leave for a stream by which nothing more will come. One that is to be an
// object and has none, since its request was cancelled, ends as an empty stream.
func (st *stream) finish(x *exchange) {
	st.lane.take()
	defer st.lane.yield()
	if st.carrier == x && !x.begun {
		st.plain = false
		st.attach(x)
	}
	st.detach(x)
}

// eventID takes the id of an event apart.
func eventID(id string) (stream, number int, ok bool) {
	s, n, found := strings.Cut(id, "-")
	stream, err1 := strconv.Atoi(s)
	number, err2 := strconv.Atoi(n)
	return stream, number, found && err1 == nil && err2 == nil && stream >= 0
}
