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
	heir        bool           // an earlier request with the same token had been cancelled, and not answered
	shared      bool           // its token belonged to several active requests: whose progress is whose is not known
	latest      *history.Event // the writing of its latest progress
	figure      float64        // of that
	busy        *frame         // what the receiver was just writing when it read the request
}

// frameNotes are what is noted of a frame.
type frameNotes struct {
	theirs  *request       // cancel: the peer's request with the id that it names, where its own side has none
	twin    *request       // reply: the request with the same id as the other JSON type, where none has the very id
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
	lingered tide
}

// placeRequest notes what a request has to do with prev, the latest of its side
// with the same id; nil if there is none. Null is no id.
func (b *builder) placeRequest(r, prev *request) {
	m := r.frame.msg
	switch {
	case m.ID == "null":
	case prev != nil:
		r.sameID, r.hasty = prev.frame.write, prev.readReply == nil
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
	if r.heir = holder.cancel != nil; !r.heir {
		r.rival = holder.frame.write
	}
}

// leaveToken notes that the response to a request was read.
func (b *builder) leaveToken(r *request) {
	active := b.active[seat(r.frame.side)]
	switch token := r.frame.msg.Token; {
	case token == "":
	case active[token] > 1:
		active[token]--
	default:
		delete(active, token)
	}
}

// logLevel is the key under which a request asks for log messages.
const logLevel = "io.modelcontextprotocol/logLevel"

// placeReply notes where a reply belongs that answers no request by its id.
func (b *builder) placeReply(f *frame) {
	if f.req != nil || f.forgotten {
		return
	}
	asker := seat(f.side.Peer())
	f.twin = b.ids[asker][otherType(f.msg.ID)]
	f.named = f.named || b.named[asker][f.msg.ID]
}

// otherType returns the id of the other JSON type that reads the same, "" if there
// is none.
func otherType(id string) string {
	inner, quoted := strings.CutPrefix(id, `"`)
	switch {
	case quoted:
		return strings.TrimSuffix(inner, `"`)
	case id == "" || id == "null":
		return ""
	}
	return `"` + id + `"`
}

// placeCancel notes whose request a cancel names that its own side never issued.
func (b *builder) placeCancel(f *frame) {
	if f.req != nil || f.forgotten {
		return
	}
	f.theirs = b.ids[seat(f.side.Peer())][f.msg.Ref]
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
	f.prior, f.was = r.latest, r.figure
	r.latest, r.figure = f.write, f.figure
}

// figureOf returns the figure of a progress notification. It reports false where
// there is none that is a number.
func figureOf(raw string) (float64, bool) {
	const member = `"progress":`
	if i := strings.Index(raw, member); i >= 0 && !strings.Contains(raw[i+len(member):], member) {
		rest := raw[i+len(member):]
		if end := strings.IndexAny(rest, ",}"); end > 0 {
			if figure, err := strconv.ParseFloat(rest[:end], 64); err == nil {
				return figure, true // the usual way of writing it, and the only one there
			}
		}
	}
	var m struct{ Params struct{ Progress *float64 } }
	if err := json.Unmarshal([]byte(raw), &m); err != nil || m.Params.Progress == nil {
		return 0, false
	}
	return *m.Params.Progress, true
}
