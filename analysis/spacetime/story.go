package spacetime

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// A Step is one line of a story: what somebody did at one instant.
type Step struct {
	At   time.Duration // since the call was issued; of call 0, since the start of the world
	Who  string        // "client", "server", "handler" or "world"
	What string        // in words; what one did in one instant is joined by "; "
	Note string        // what makes this step the violation; empty for all others
}

// Sequence tells one call as sentences, with its progress folded away; call 0
// is the whole world, or of several clients the one that [ClientOf] names. The step that completes the violation v carries a note.
func Sequence(h *history.History, j oracle.Judgement, call int, v oracle.Violation) []Step {
	shown := view{call: call}
	if call == 0 {
		shown.client, shown.evidence = ClientOf(h, v), v.Events
	}
	sc := newScene(h, j, shown)
	sc.foldProgress(Finding{ID: "this", Violation: v})
	proof := sc.proof(v)
	origin := sc.origin()
	var told []Step
	calls := []int{0} // of told, and one more
	for i, s := range sc.steps {
		who, what := sc.tell(i, s)
		if what == "" {
			continue
		}
		t := Step{At: s.at - origin, Who: who, What: what}
		if s.observed && s.seq == proof {
			t.Note = sc.note(v, proof)
		}
		if n := len(told); n > 0 && calls[n] == s.call && told[n-1].joins(t) {
			told[n-1].add(t)
			continue
		}
		t.What = sc.whose(s) + t.What
		told, calls = append(told, t), append(calls, s.call)
	}
	return told
}

// maxStory bounds the lines of a story; the listing has them all.
const maxStory = 60

// Story is Sequence as plain text of at most 100 columns, for a block of code
// in a finding's page. Every line ends in a line feed.
func Story(h *history.History, j oracle.Judgement, call int, v oracle.Violation) string {
	steps := Sequence(h, j, call, v)
	times := minTimes
	for _, s := range steps {
		times = max(times, len(millis(s.At)))
	}
	var b strings.Builder
	unit := " ms"
	for i, s := range steps {
		lead := fmt.Sprintf("%*s%-3s  %-7s  ", times, millis(s.At), unit, s.Who)
		switch over := len(steps) - maxStory; {
		case over <= 0 || i < maxStory/2 || i >= maxStory/2+over || s.Note != "":
			s.write(&b, lead)
			unit = ""
		case i == maxStory/2:
			fmt.Fprintf(&b, "%*s… %s, see the listing …\n", len(lead), "", moreSteps(over))
		}
	}
	return b.String()
}

// moreSteps counts steps that are not shown.
func moreSteps(n int) string {
	if n == 1 {
		return "1 more step"
	}
	return strconv.Itoa(n) + " more steps"
}

// write writes one step behind lead.
func (s Step) write(b *strings.Builder, lead string) {
	indent := len(lead)
	room := DefaultWidth - indent
	g := unicodeGlyphs
	lines := g.wrap(g.clean(s.What), room)
	if at := strings.Index(s.What, "→ {"); at >= 0 {
		lines = []string{g.cutJSON(s.What, room)}
	}
	if s.Note != "" {
		lines = append(lines, g.wrap(g.clean("↑ "+s.Note), room)...)
	}
	for _, l := range lines {
		fmt.Fprintf(b, "%-*s%s\n", indent, lead, l)
		lead = ""
	}
}

// proof is the last of a violation's events that the scene shows, -1 if none.
func (sc *scene) proof(v oracle.Violation) int {
	proof := -1
	for _, s := range sc.steps {
		for _, seq := range v.Events {
			if s.observed && s.seq == seq {
				proof = max(proof, seq)
			}
		}
	}
	return proof
}

// note says what makes the event seq a violation: how long after the cancel's
// being read it came, or the violation's own words where that is not the point.
func (sc *scene) note(v oracle.Violation, seq int) string {
	switch m := sc.margin(v, seq); {
	case m == "":
		return v.What
	case v.Lateness > 0:
		return exact(v.Lateness) + " after " + sc.cancelWas()
	default:
		return "in the instant in which " + sc.cancelWas() + ", " + strings.TrimPrefix(m, " same instant, ")
	}
}

// cancelWas is what lateness counts from.
func (sc *scene) cancelWas() string {
	if sc.closingCancels() {
		return "the client was seen gone"
	}
	return "the cancel was read"
}

// joins reports whether next is told in one line with s. What is read stands
// first in its line, and so does JSON.
func (s Step) joins(next Step) bool {
	return s.At == next.At && s.Who == next.Who && s.Note == "" && next.Note == "" &&
		!strings.Contains(s.What, "→ {") && !strings.HasPrefix(next.What, "→ {") &&
		!strings.HasPrefix(strings.ToLower(next.What), "read ") && !strings.HasPrefix(next.What, "SAW ")
}

// add joins next to s.
func (s *Step) add(next Step) {
	sep := "; "
	if (strings.HasPrefix(next.What, "→") || strings.HasPrefix(next.What, "closed ") || strings.HasPrefix(next.What, "aborted ")) && (strings.HasSuffix(s.What, "caller cancelled") || strings.HasSuffix(s.What, "deadline passed")) {
		sep = ", " // the one is how the other is done
		if strings.HasPrefix(next.What, "→") {
			sep = " " // the one sent the other
		}
	}
	s.What += sep + next.What
}

// tell is who did the i-th step, and what, in the past; nothing where the
// steps beside it say it already.
func (sc *scene) tell(i int, s step) (who, what string) {
	who = string(s.side)
	if s.shape == gap {
		if s.wrote == 0 {
			return who, ""
		}
		return who, frames(s.wrote, s.until(sc.origin()))
	}
	if s.frame != nil {
		return who, sc.tellFrame(s)
	}
	e := sc.h.Events[s.seq]
	switch e.Kind {
	case history.Issue:
		if i+1 < len(sc.steps) && sc.steps[i+1].shape == depart && sc.steps[i+1].at == s.at {
			return who, "" // its request says so
		}
		return who, "caller called " + strconv.Quote(sc.kindOf(e.Call))
	case history.Cancel:
		if e.Text == "deadline" {
			return who, "caller's deadline passed"
		}
		return who, "caller cancelled"
	case history.Return:
		if isContextError(lastError(e.Text)) {
			return who, "caller returned"
		}
		return who, "caller " + outcomeOf(e, "returned")
	case history.Gone:
		return who, "saw the client gone"
	case history.Start:
		return who, "handler started"
	case history.Told:
		return who, "handler told (ctx done)"
	case history.End:
		return "handler", sc.tellEnd(s.seq, e)
	case history.Progress, history.Open, history.Release, history.Effect:
		return "handler", strings.TrimPrefix(s.texts[0], "handler ")
	}
	return who, strings.TrimPrefix(s.texts[0], who+" ")
}

// lastError is the innermost of the errors that a text wraps.
func lastError(s string) string {
	if at := strings.LastIndex(s, ": "); at >= 0 {
		return s[at+2:]
	}
	return s
}

// tellFrame says what the end of a frame was.
func (sc *scene) tellFrame(s step) string {
	m := s.frame.msg
	if s.frame.sort != message {
		return sc.tellSignal(s)
	}
	if m == nil {
		return s.texts[0]
	}
	if s.shape == depart {
		return "→ " + sc.tellSent(s.frame)
	}
	if !s.observed || sc.h.Events[s.seq].Kind != history.Read {
		return s.texts[0]
	}
	switch l := sc.calls[s.frame.call]; {
	case m.IsCancel() && s.aside == silence:
		return "READ THE CANCEL"
	case m.IsCancel() && s.aside != "":
		return "read the cancel: " + strings.TrimSuffix(s.aside, ": benign")
	case m.Kind == history.Request && s.frame.call != 0:
		return "read it"
	case m.IsReply() && strings.HasSuffix(s.texts[0], ", ignored"):
		return "read and ignored it"
	case m.IsReply() && l != nil && l.id == m.ID:
		return "read it"
	}
	return s.texts[0]
}

// tellSignal says in the past what went over HTTP without a message.
func (sc *scene) tellSignal(s step) string {
	text := s.texts[0]
	switch {
	case s.frame.sort == closing && s.shape == depart:
		return pasts.Replace(text)
	case s.frame.sort == closing && s.aside == silence:
		return "SAW THE CLIENT GONE, which is the cancel"
	case s.frame.sort == closing && s.aside != "":
		return "saw the client gone: " + strings.TrimSuffix(s.aside, ": benign")
	case s.frame.sort == closing:
		return "saw the client gone"
	case s.shape == depart:
		return "→ " + text
	case s.frame.sort == heading:
		return "read " + text
	}
	return strings.Replace(text, " arrives", " arrived", 1)
}

// pasts are the past of what a client does to an exchange.
var pasts = strings.NewReplacer("aborts ", "aborted ", "closes ", "closed ", "drops ", "dropped ")

// tellSent is a message as its sender put it, and how it went over HTTP.
func (sc *scene) tellSent(f *frame) string {
	switch x := f.exchange; {
	case x == nil:
		return sc.tellMessage(f)
	case f.from == history.Client:
		return x.verb() + " " + strings.TrimPrefix(sc.tellMessage(f), x.verb()+" ")
	case f.msg.IsReply() && f.msg.Raw != "":
		return sc.tellMessage(f) // the JSON stands first
	}
	return sc.sentWords(f)[0]
}

// tellMessage is a message as its sender put it.
func (sc *scene) tellMessage(f *frame) string {
	m := f.msg
	switch {
	case m.Kind == history.Request && f.call != 0:
		return m.Method + " id " + id(m.ID) + " " + strconv.Quote(sc.kindOf(f.call))
	case m.IsCancel():
		return m.Method + " requestId " + id(m.Ref)
	case m.IsReply() && m.Raw != "":
		return strings.Replace(m.Raw, `"jsonrpc":"2.0",`, "", 1)
	}
	return sc.sentWords(f)[0]
}

// tellEnd says how a handler ended, and at what occasion where its kind tells.
func (sc *scene) tellEnd(i int, e history.Event) string {
	s := strings.TrimPrefix(sc.endSentence(i, e), "handler ")
	s = strings.Replace(s, "returns", "returned", 1)
	l := sc.life(e.Call)
	if l.told < 0 || l.told > i || sc.h.Events[l.told].At == e.At || !strings.HasPrefix(s, "returned ctx.Err()") {
		return s
	}
	switch sc.kindOf(e.Call) {
	case "checkpoint":
		return s + " at its next checkpoint"
	case "slow-cleanup":
		return s + " after its cleanup"
	}
	return s
}
