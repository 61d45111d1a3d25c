package oracle

import (
	"cmp"
	"math"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
)

// An index is a history sorted by what it is about: frames, requests and calls,
// and the landmarks of the session. It is built in one pass. What is over and judged
// leaves it, so that it has what is under way and little more. nil stands for an event
// that was not observed.
type index struct {
	header   history.Header // with those of its calls that its first line lists
	modern   bool
	grace    time.Duration // wall time only: how long order alone proves nothing
	patience time.Duration // longer than a server that runs one tool at a time needs for all
	calls    window[call]  // those that are not forgotten, by their place in the header, from 0
	numbers  map[int]int   // places by call number; nil where the call at place i is number i+1
	owners   map[int]int   // of a world with many clients: whose a call is, by its number
	lowest   int           // call number
	highest  int
	gaps     bool          // the numbers from lowest to highest are not all there, or not in order
	frames   window[frame] // those that are not forgotten, by number

	transport   Transport
	overHTTP    bool
	disconnects bool             // a disconnect is a cancel
	exchanges   window[exchange] // those that are not forgotten, by number; none over stdio
	part        part
	swapped     bool // the sides are exchanged: it is about what servers ask
	memory           // of the names of what was forgotten
	session
}

// A session holds the landmarks of a world, each at its first occurrence.
type session struct {
	connected *history.Event
	probe     *history.Event
	probed    *history.Event
	close     *history.Event
	closed    *history.Event
	horizon   *history.Event
	settled   *history.Event // the world is quiet
	stalled   *history.Event // the world's limit, reached while the session was being closed
	served    *history.Event
	crash     *history.Event
	fall      *history.Event // over HTTP: the first panic of the server's own code in a handler, which took no process with it
	over      *history.Event // the first sign of the session's end, of the last if there were several: close, hangup, end of stream, server's return, crash, an end that the scenario brought about
	broken    *history.Event // the first such sign that nobody had asked for: neither the application's closing nor the scenario came before
	last      *history.Event // the last that was observed while the world lived; tomorrow while it still lives
	leaks     []*history.Event
	cancelled *history.Event // the first cancel's being read by the server

	halfClosed *history.Event // the scenario closed the client's writing end
	stop       *history.Event // the scenario had the server's application end its server
	exit       *history.Event // the scenario let the server's process die
	heard      *history.Event // the server read the end of its input
	bereft     *history.Event // the client read the end of its input
	left       *history.Event // the server hung up, or its run returned
	quit       *history.Event // the client hung up
	deaf       *history.Event // the client had stopped reading: a Write of the server's failed, which had not hung up itself
	abrupt     bool           // the session ended with calls in flight, by the application's or the scenario's doing
	notes
	sessionTasks

	cancels     int             // that were begun, of either side
	gaveUp      bool            // a caller did
	lastIssue   time.Duration   // the instant at which the last call was made that was written; -1: there is none
	probing     *request        // the last that the client wrote for its probe
	unclaimed   []string        // methods of which the client wrote requests that are no call's for all that is known, the probe's aside
	gone        int             // calls that are forgotten
	lateStarts  int             // handlers that began for such a call
	moments     []moment        // how things stood at some of the landmarks
	breaks      int             // exchanges whose breaking off cancelled a request
	home        int             // the instance of the server that the session is with; 0: there is one
	faulty      *history.Event  // the first fault of the network's that cost more than time
	loss        *history.Event  // the first time that the client was done with an exchange and had no response
	strangeFall *history.Event  // over HTTP: a panic in a handler of which it is not known whose code it was
	deserted    *history.Event  // over HTTP: the client learned that the server's process had died, by an exchange that failed
	talk        conversation    // over Streamable HTTP
	sitting     *sitting        // that goes on
	lapsed      bool            // over HTTP: the server had ended one, unasked
	alive       *history.Event  // the last count of the server's sessions
	lent        map[string]bool // sessions that the server gave to a client which asked for one, and that no client has ended
	handedBack  int             // sessions whose end the server granted
	reached     int             // exchanges that came to the server
	opened      int             // of these, those that it has not ended
	sessionNotes
}

// A call is one line of the header with what became of it.
type call struct {
	history.Call
	place int      // in the header, from 0
	req   *request // the request that the client wrote for it

	issue, cancel, ret *history.Event
	orphaned           *history.Event // nested: the call whose tool makes it was given up, on the side that answers this one
	start, told, end   *history.Event
	asked              int              // how often it asked for progress before the server had read a cancel for it
	asks               []*history.Event // likewise, afterwards
	held               *frame           // what the client was just writing when the application cancelled
	hit                bool             // by what befell another call
	overdue            bool             // its caller was due to get control back and did not, as CALLER-UNBLOCKS judges

	toldKnown *history.Event   // the last by which the server had learned of a cancel when the handler was told: that it cancels what a tool had asked follows from the telling
	retKnown  *history.Event   // likewise the client when the call returned
	retAny    *history.Event   // likewise the one or the other that had set a cancel going itself
	endBusy   *stretch         // of the server's writing at the end of the handler; nil: it was free
	owner     *call            // the one whose tool had returned the value that this call was given, which was not its own tool's
	lostOwner bool             // there may have been one, which is forgotten
	takers    []*call          // those of which it is the owner
	taken     []*history.Event // the returns of those of its takers that are forgotten and had its late response
	twins     int              // tools beside its own that returned the same value
	holdsOut  bool             // its tool runs, and nobody has told it, or it does not stop when told

	breaksAtStart, breaksAtEnd int  // see session.breaks
	again                      bool // the client made it again by another request; see builder.noteRetry
	callTask
}

// kind is what reports call c by: the kind of its handler, or its method where no
// code of the application's answers.
func (c *call) kind() string {
	if c.Parent > 0 {
		return c.Method
	}
	return cmp.Or(c.Handler, c.Method)
}

// otherMethod is the method of c, empty for the usual one.
func (c *call) otherMethod() string {
	if c.Method == "tools/call" {
		return ""
	}
	return c.Method
}

// A request is a request frame with what belongs to it.
type request struct {
	frame      *frame
	nth        int            // of the requests of both sides, in the order of writing, from 0
	call       *call          // nil: none of the application's calls
	cancel     *frame         // the first cancel that names it, as written
	repeated   int            // further cancels
	c          *history.Event // C: the first cancel's being read after the request was read
	early      *history.Event // a cancel's being read before the request was
	replies    int
	first      *frame // the first reply
	second     *frame // the second reply
	reported   int    // progress frames that were begun
	progress   []*frame
	reused     bool // its id is one that it must not have, or was used again before it was answered: what belongs to which is not known
	readReply  *history.Event
	prev       *request       // the earlier one of its side with the same id, until this one has been read
	prevToken  *request       // likewise with the same progress token
	lastCancel *history.Event // the reading of the last of its cancels
	stale      *history.Event // that of the earlier request with its id, if this one was read after it
	lookalike  *history.Event // the reading of the last cancel that came while it was open, does not name it, and can be taken for doing so
	mistaken   *history.Event // the lookalike in whose instant it came to harm
	readCancel *frame         // the frame of c; nil of a connection that the network broke
	gone       *history.Event // since a disconnect is a cancel: the server's seeing it, to which c is owed
	byPost     bool           // an exchange was begun for it
	elsewhere  bool           // a cancel of its was read by another instance of the server
	posted     *history.Event // likewise: the writing of the first cancel that was posted all the same

	flying  int           // acts of the network that its frames still wait for
	touched time.Duration // the instant of the last event about it
	queued  bool          // to be judged
	requestNotes
	listen  *subscription // nil: it is no subscriptions/listen
	sitting *sitting      // the session that it is of
}

// A frame is one message on the wire.
type frame struct {
	msg                        *history.Message
	n                          int          // its number
	side                       history.Side // the sender
	write, wrote, read, unread *history.Event
	provoked                   *history.Event // cancel: a reply under no request's id, written in the instant in which it was read
	req                        *request       // the request that it answers, cancels or reports on
	nth                        int            // progress: which of its request's, from 1; cancel: which of the world's, from 0

	known     *history.Event // reply: the last event before its writing by which its sender knew of a cancel
	period    *period        // in which the client's writer was busy with it, where that matters
	overtaker decision       // cancel: the latest of those that were written before it
	forgotten bool           // it names what was used before and is forgotten
	flying    int            // acts of the network that it still waits for: the end of its writing, its reading
	frameNotes
	frameTask
	account *account       // how it stands to subscriptions; nil: not at all
	since   *history.Event // from here on, until it was begun, its writer had no moment to itself

	on      *exchange      // that carries it; nil: none is known
	back    bool           // it came in the response of that
	own     *writer        // over HTTP, where on has none for it
	closing bool           // it is none: the client closed the exchange of the request that it cancels
	posted  bool           // cancel: it has no meaning, since the closing of a stream is the cancel
	replay  *sentEvent     // it was sent before, and is sent again on a stream that the client resumes
	clash   *sentEvent     // another event had its id
	first   *history.Event // the writing of the same message on another stream, nobody having asked for it again
	live    bool           // and that stream was open, and stayed so
	twice   bool           // reply: it was sent by the same exchange before, under the same event id
	doubled bool           // the same of a message that is sent again on a stream that the client resumes
	rewound bool           // likewise: that the client had named as its last event, or that came before
	foreign bool           // it belongs to another stream than the one that is resumed
}

// again reports whether f says what another frame has said, so that it counts for
// nothing.
func (f *frame) again() bool { return f.replay != nil || f.first != nil }

// A decision is a call that the application made, and the client's writing it.
type decision struct{ issue, write *history.Event }

// call returns the call with that number, or nil.
func (x *index) call(n int) *call {
	if x.numbers != nil {
		place, ok := x.numbers[n]
		if !ok {
			return nil
		}
		return x.calls.get(place)
	}
	return x.calls.get(n - 1)
}

// The event of tomorrow stands in for the last one of a world that lives, and is later
// than all that was observed. A tally puts the true one in its place.
const (
	tomorrow    = time.Duration(1) << 62 // its At
	tomorrowSeq = math.MaxInt
)

// ended returns the event by which the application would not wait any longer:
// the world's limit, or the closing of the session; nil when neither was seen.
func (x *index) ended() *history.Event { return earlier(x.horizon, x.close) }

// pending reports whether the caller of c was waiting at e.
func (c *call) pending(e *history.Event) bool { return before(c.issue, e) && !before(c.ret, e) }

// lastWord returns the last event that the session was alive for.
func (x *index) lastWord() *history.Event {
	if x.over != nil {
		return x.over
	}
	return x.last
}

// before reports whether both were observed, a earlier.
func before(a, b *history.Event) bool { return a != nil && b != nil && a.Seq < b.Seq }

// earlier returns the earlier of two events, of which either may be missing.
func earlier(a, b *history.Event) *history.Event {
	if a == nil || before(b, a) {
		return b
	}
	return a
}

// span is the time from a to b, never negative in a history that is not damaged;
// -1 when either is missing.
func span(a, b *history.Event) time.Duration {
	if a == nil || b == nil || b.At < a.At {
		return -1
	}
	return b.At - a.At
}
