package spacetime

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// name is how a message is called: by its method and id.
func name(m *history.Message) string {
	if m == nil {
		return "an unknown frame"
	}
	switch m.Kind {
	case history.Request:
		return m.Method + " " + id(m.ID)
	case history.Notification:
		if m.IsCancel() {
			return "cancel " + id(m.Ref)
		}
		return m.Method
	case history.Response:
		if m.Status != "" {
			return "result " + id(m.ID) + ": " + m.Status // of a task
		}
		return "result " + id(m.ID)
	case history.ErrorReply:
		return "error " + id(m.ID)
	}
	return "an invalid frame"
}

// id shortens a raw JSON id in its middle: most are small numbers, some are
// UUIDs.
func id(raw string) string {
	r := []rune(raw)
	switch {
	case len(r) == 0:
		return "without id"
	case len(r) > 14:
		return string(r[:6]) + "…" + string(r[len(r)-6:])
	}
	return raw
}

// sentWords say what a frame that leaves is, in ever fewer words.
func (sc *scene) sentWords(f *frame) []string {
	words := sc.ownWords(f)
	if f.exchange != nil {
		words = sc.carriedWords(f, words)
	}
	if f.msg != nil && f.msg.Batch > 0 {
		words = slices.Insert(words, 0, words[0]+", "+strconv.Itoa(f.msg.Batch)+" of a batch")
	}
	return words
}

// carriedWords are those of a frame that HTTP carries: how it comes, where that is not
// as it should be.
func (sc *scene) carriedWords(f *frame, words []string) []string {
	x := f.exchange
	if f.from == history.Client {
		return each(words, func(s string) string { return x.verb() + " " + s })
	}
	lead, tail := "", ""
	if f.headed {
		lead = x.status() + ": "
	}
	switch {
	case f.again:
		tail = ", sent again"
	case x.method == "GET" && sc.h.Header.Transport != "http-sse" && f.msg.IsReply():
		tail = ", by the GET's stream"
	case x.call != 0 && f.call != 0 && x.call != f.call && !isProgress(f.msg):
		tail = ", in the response to " + x.to()
	}
	return each(words, func(s string) string { return lead + s + tail })
}

func each(words []string, f func(string) string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = f(w)
	}
	return out
}

// ownWords are those that do not say how it was sent.
func (sc *scene) ownWords(f *frame) []string {
	m := f.msg
	switch {
	case m == nil:
	case m.IsCancel():
		return []string{"notifications/cancelled " + id(m.Ref), "cancelled " + id(m.Ref)}
	case m.Kind == history.Notification && m.Status != "":
		return []string{m.Method + ": " + m.Status, "task is " + m.Status}
	case m.Kind == history.Notification:
		return []string{m.Method, lastPart(m.Method)}
	case m.Kind == history.ErrorReply:
		s := "error " + strconv.FormatInt(m.Code, 10) + " " + strconv.Quote(m.Text)
		if l := sc.calls[f.call]; l == nil || l.id != m.ID {
			s = "error for " + id(m.ID) + ": " + strings.TrimPrefix(s, "error ")
		}
		return []string{s}
	}
	return []string{name(m)}
}

// readWords say what reading a frame at the i-th event comes to.
func (sc *scene) readWords(i int, f *frame) []string {
	s := "read " + name(f.msg)
	if f.from == history.Client {
		s += sc.atInstance(f.exchange)
	}
	l := sc.calls[f.call]
	switch {
	case f.msg == nil:
	case f.msg.Kind == history.Notification && f.msg.Status != "":
		return []string{s + ": " + f.msg.Status, "read that task is " + f.msg.Status, "read status"}
	case f.msg.Kind == history.Notification && !f.msg.IsCancel():
		return []string{s, "read " + lastPart(f.msg.Method)}
	case !f.msg.IsReply() || l == nil || l.returned < 0 || l.returned > i || l.id != f.msg.ID:
	case sc.results[f.call].Incident == "" && !sc.convicts(i):
		return []string{s + ", ignored", "read, ignored"}
	default:
		return []string{s + ", after the caller had returned", s}
	}
	return []string{s}
}

// lastPart is a method without the family that it belongs to.
func lastPart(method string) string { return method[strings.LastIndexByte(method, '/')+1:] }
