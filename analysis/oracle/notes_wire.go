package oracle

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// What one message has to do with others of its kind is noted when it passes, so
// that an oracle need look at nothing but the one in hand.

// requestNotes are what is noted of a request.
type requestNotes struct {
	sameID      *history.Event // the writing of an earlier request of the same side with the same id
	perhapsUsed bool           // an earlier one with the same id may have been forgotten
	hasty       bool           // whose response the side had not read when it wrote this one
	rival       *history.Event // the writing of an earlier request of the same side with the same token, which was still active
	blurred     bool           // of that, by its id, it cannot be told whether it was still active: its call was over for its caller
	heir        bool           // an earlier request with the same token had been cancelled, and not answered
	shared      bool           // its token belonged to several active requests: whose progress is whose is not known
	latest      *history.Event // the writing of its latest progress
	figure      float64        // of that
	latestOn    *exchange      // likewise
	lost        bool           // its id is that of an earlier request whose exchange the client was done with, without a response
	turnedDown  bool           // and whose exchange had been refused, or never left the client
	denied      *history.Event // there was a response, and the server ended the stream on which the client last asked for it again without saying it
	resumed     *exchange      // by which the client last resumed the stream of its response
	struck      bool           // the network was at fault in an exchange that resumed that of this one
	busy        bool           // the receiver was just writing something when it read the request
	lastReport  *frame         // the latest progress of its, over HTTP
	lastReply   *frame         // the latest reply to it
	foreign     *frame         // the latest response with its id that was another one's, see builder.misnamed
	astray      astray         // its answer, if that was written under an id that resembles its own
}

// frameNotes are what is noted of a frame.
type frameNotes struct {
	theirs  *history.Event // cancel that names no request of its own side: its side's reading of the peer's with that id
	ends    bool           // and that opened a subscription, which its server ends so
	twin    *history.Event // reply that names no request: its side's reading of the one whose id is the same as the other JSON type
	meant   *request       // reply: the one whose response it is, although it has the id of another
	named   bool           // reply: no request had its id, but a cancel had named it, or it was what a cancel was answered with
	prior   *history.Event // progress: the writing of the one before it for the same request
	was     float64        // and its figure
	figure  float64        // progress: its figure
	figured bool           // progress: it has one
}

// sessionNotes are what is noted of a session.
type sessionNotes struct {
	asked    *history.Event    // the first request that asked for log messages
	garbage  [2]*history.Event // by the reading side: the first frame that was read and is no message
	batch    [2]*history.Event // by the sending side: the first batch whose messages the history does not list; what is in it, nobody sorts in
	lingered tide
}

// placeRequest notes what a request has to do with prev, the latest of its side
// with the same id; nil if there is none. Null is no id.
func (b *builder) placeRequest(r, prev *request) {
	m := r.frame.msg
	switch {
	case m.ID == nullID:
	case prev != nil:
		r.sameID, r.hasty = prev.frame.write, prev.readReply == nil
		r.lost = r.hasty && prev.abandoned()
		r.turnedDown = r.lost && (prev.frame.on.refused() || prev.frame.inVain() && prev.frame.read == nil)
	default:
		r.perhapsUsed = b.perhaps(ofRequest, r.frame.side, m.ID)
	}
	if b.asked == nil && strings.Contains(m.Raw, logLevel) {
		b.asked = r.frame.write
	}
	if m.Token != "" {
		b.takeToken(r)
	}
}

// takeToken notes who else has the progress token of a request: others of which no
// response was read yet, however many of the later ones are over.
func (b *builder) takeToken(r *request) {
	side := seat(r.frame.side)
	token := r.frame.msg.Token
	if b.active[side] == nil {
		b.active[side] = map[string]int{}
	}
	b.active[side][token]++
	r.shared = b.active[side][token] > 1
	holder := b.tokens[side][token]
	if holder == nil || holder.readReply != nil {
		return
	}
	holder.shared = true
	if r.heir = holder.cancel != nil || holder.abandoned(); !r.heir {
		r.rival, r.blurred = holder.frame.write, holder.reused && holder.call.givenUp()
	}
}

// givenUp reports whether the caller of c has given it up, or has it back.
func (c *call) givenUp() bool { return c != nil && (c.cancel != nil || c.ret != nil) }

// leaveToken notes that the response to a request was read, or that none comes which
// anybody would know what to do with.
func (b *builder) leaveToken(r *request) {
	active := b.active[seat(r.frame.side)]
	switch token := r.frame.msg.Token; {
	case token == "" || r.sitting != b.sitting: // the tokens of a former session are free already
	case active[token] > 1:
		active[token]--
	default:
		delete(active, token)
	}
}

// logLevel is the key under which a request asks for log messages.
const logLevel = "io.modelcontextprotocol/logLevel"

// placeDamage notes a frame that is no message, for what it may be all the same.
func (b *builder) placeDamage(f *frame) {
	if isBatch(f.msg.Raw) {
		b.batch[seat(f.side)] = earlier(b.batch[seat(f.side)], f.write)
	}
}

// readDamage notes that such a frame was read. At one version a batch is none.
func (b *builder) readDamage(f *frame) {
	if b.header.SpecVersion == batchVersion && isBatch(f.msg.Raw) {
		return
	}
	reader := seat(f.side.Peer())
	b.garbage[reader] = earlier(b.garbage[reader], f.read)
}

// batchVersion is the one that has batches.
const batchVersion = "2025-03-26"

// beside reports whether f came in one batch with the frame of another event. The
// numbers of a batch's frames follow one another.
func (f *frame) beside(e *history.Event) bool {
	other := said(e)
	return f.msg.Batch > 0 && other.Batch > 0 && f.n-f.msg.Batch == e.Frame-other.Batch
}

func isBatch(raw string) bool { return strings.HasPrefix(strings.TrimLeft(raw, " \t"), "[") }

// placeReply notes where a reply belongs that answers no request by its id.
func (b *builder) placeReply(f *frame) {
	if f.req != nil || f.forgotten {
		return
	}
	asker := seat(f.side.Peer())
	if r := b.ids[asker][otherType(f.msg.ID)]; r != nil {
		f.twin = r.frame.read
	}
	f.named = f.named || b.named[asker][f.msg.ID]
	if !f.named && !f.declines() {
		b.noteAstray(f, "RESP-SAME-ID")
	}
}

// otherType returns the id of the other JSON type that reads the same, "" if there
// is none.
func otherType(id string) string {
	inner, quoted := strings.CutPrefix(id, `"`)
	switch {
	case quoted:
		return strings.TrimSuffix(inner, `"`)
	case id == "" || id == nullID:
		return ""
	}
	return `"` + id + `"`
}

// placeCancel notes whose request a cancel names that its own side never issued.
func (b *builder) placeCancel(f *frame) {
	if f.req != nil || f.forgotten {
		return
	}
	if r := b.ids[seat(f.side.Peer())][f.msg.Ref]; r != nil {
		f.theirs, f.ends = r.frame.read, r.listen != nil
		r.endedBy(f)
	}
	if f.msg.Ref == "" {
		return
	}
	side := &b.named[seat(f.side)]
	if *side == nil {
		*side = map[string]bool{}
	}
	if len(*side) < maxNamed {
		(*side)[f.msg.Ref] = true
	}
}

// maxNamed bounds how many ids are remembered that a side named and had never used.
// A reply that has one of the others, and answers nothing, is then not excused.
const maxNamed = 1 << 12

// placeProgress notes how a progress notification goes on from the one before it
// for the same request.
func (b *builder) placeProgress(f *frame) {
	f.figure, f.figured = figureOf(f.msg.Raw)
	r := f.req
	if r == nil || !f.figured {
		return
	}
	if r.latestOn == f.on { // on different streams, either may be held up
		f.prior, f.was = r.latest, r.figure
	}
	r.latest, r.figure, r.latestOn = f.write, f.figure, f.on
}

// figureOf returns the figure of a progress notification. It reports false where
// there is none that is a number.
func figureOf(raw string) (float64, bool) {
	if _, rest, found := strings.Cut(raw, figureKey); found && !strings.Contains(rest, figureKey) {
		if v, ok := numberAt(rest); ok {
			return v, true
		}
	}
	var m struct{ Params struct{ Progress *float64 } }
	if err := json.Unmarshal([]byte(raw), &m); err != nil || m.Params.Progress == nil {
		return 0, false
	}
	return *m.Params.Progress, true
}

// figureKey is the name of the figure. Where it stands once and a number follows, the
// frame need not be taken apart.
const figureKey = `"progress"`

// numberAt reads a colon and a number.
func numberAt(text string) (float64, bool) {
	text, found := strings.CutPrefix(strings.TrimLeft(text, " \t"), ":")
	if !found {
		return 0, false
	}
	text = strings.TrimLeft(text, " \t")
	if end := strings.IndexAny(text, ",} \t"); end >= 0 {
		text = text[:end]
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && text[0] != '+' && strings.Trim(text, "0123456789+-.eE") == ""
}
