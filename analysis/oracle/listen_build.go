package oracle

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// The words of subscriptions.
const (
	listenMethod    = "subscriptions/listen"
	acknowledgement = "notifications/subscriptions/acknowledged"
	toolsChanged    = "notifications/tools/list_changed"
	resourceUpdated = "notifications/resources/updated"
	changeOfTools   = "tools" // history.Change
)

// A subscription is what a subscriptions/listen has beside what every request has.
type subscription struct {
	asked    filter
	agreed   filter // as the acknowledgement says
	ack      *frame
	messages int               // that say they are the subscription's, or are its response
	late     *frame            // the first of them that was begun when time had passed since C
	at       *frame            // the first that was begun after C and in its instant
	held     bool              // one after C had only waited for its turn
	told     int               // changes
	owed     map[string]change // the first that has not been told, by what changed
	ended    *history.Event    // the writing of the first cancel by which the server ended it
	endRead  bool              // that was read
}

// A change is one that the server's application made.
type change struct {
	*history.Event
	held bool    // the server's writer was held up by the network
	last *period // in which it was busy with the last that it began before the change had to be told
}

// clogged reports whether the server's writer had no moment to itself when the change
// had to be told.
func (c change) clogged() bool {
	p := c.last
	return c.held || p != nil && (p.open > 0 || p.free != nil && p.free.At > c.At+tellBound)
}

// A filter is what a client wants to be told of.
type filter struct {
	Tools     bool     `json:"toolsListChanged"`
	Prompts   bool     `json:"promptsListChanged"`
	Resources bool     `json:"resourcesListChanged"`
	URIs      []string `json:"resourceSubscriptions"`
}

// filterOf reads the filter of a subscriptions/listen or of its acknowledgement. A
// message that has none asks for nothing.
func filterOf(m *history.Message) filter {
	var frame struct {
		Params struct {
			Notifications filter `json:"notifications"`
		} `json:"params"`
	}
	if err := json.Unmarshal([]byte(m.Raw), &frame); err != nil {
		return filter{}
	}
	return frame.Params.Notifications
}

// wants reports whether a message is about what the filter lets through. A resource
// below one that was asked for is.
func (f filter) wants(m *history.Message) bool {
	switch m.Method {
	case toolsChanged:
		return f.Tools
	case "notifications/prompts/list_changed":
		return f.Prompts
	case "notifications/resources/list_changed":
		return f.Resources
	case resourceUpdated:
		uri := uriOf(m)
		return slices.ContainsFunc(f.URIs, func(asked string) bool {
			below, found := strings.CutPrefix(uri, asked)
			return found && (below == "" || strings.ContainsAny(below[:1], "/?#") || strings.HasSuffix(asked, "/"))
		})
	}
	return false
}

// covers reports whether a change of the history is one that the filter lets
// through.
func (f filter) covers(changed string) bool {
	if changed == changeOfTools {
		return f.Tools
	}
	return slices.Contains(f.URIs, changed)
}

func uriOf(m *history.Message) string {
	var frame struct {
		Params struct {
			URI string `json:"uri"`
		} `json:"params"`
	}
	if err := json.Unmarshal([]byte(m.Raw), &frame); err != nil {
		return ""
	}
	return frame.Params.URI
}

// changeOf is what a notification tells a change of, as history.Change has it.
func changeOf(m *history.Message) string {
	switch m.Method {
	case toolsChanged:
		return changeOfTools
	case resourceUpdated:
		return uriOf(m)
	}
	return ""
}

// tellsChange reports whether a message is of a type that clients have to ask for.
func tellsChange(m *history.Message) bool {
	switch m.Method {
	case toolsChanged, resourceUpdated, "notifications/prompts/list_changed", "notifications/resources/list_changed":
		return m.Kind == history.Notification
	}
	return false
}

// scoped reports whether a message belongs to a request, by its type.
func scoped(m *history.Message) bool {
	return m.Kind == history.Notification && (m.Method == progressMethod || m.Method == logMethod)
}

// An account is how a message of the server's stands to subscriptions, in the moment
// in which its writing begins.
type account struct {
	of      *request // the subscription whose id it carries, or that it answers; nil: none
	nth     int      // of the subscription's messages, from 1
	after   bool     // C of the subscription was before
	wanted  bool     // it carries no id, and an open subscription had asked for it
	ending  bool     // it carries no id, and one that had asked for it ended in that instant
	open    bool     // a subscription was open
	unclear bool     // its id stands for more than one request
}

// isOpen reports whether r is a subscription that the server had read, and that
// nobody had ended.
func (r *request) isOpen() bool {
	return r.listen != nil && r.frame.read != nil && r.c == nil && r.replies == 0 && r.listen.ended == nil
}

// endedBy notes that the server ends the subscription r by the cancel f; of other
// requests nothing.
func (r *request) endedBy(f *frame) {
	if r.listen != nil {
		r.listen.ended = earlier(r.listen.ended, f.write)
	}
}

// endHeard notes that the client read such a cancel: no response need follow.
func (b *builder) endHeard(f *frame) {
	if r := b.ids[seat(history.Client)][f.msg.Ref]; f.ends && r != nil && r.listen != nil {
		r.listen.endRead, r.touched = true, f.read.At
		b.settle(r)
	}
}

// endedByServer reports whether c is a subscription that the server has ended, by a
// cancel or by a response.
func (c *call) endedByServer() bool {
	return c.req != nil && c.req.listen != nil && (c.req.listen.ended != nil || c.req.first != nil)
}

// listens reports whether c is a subscription: it has no handler, and no response
// before its end.
func (c *call) listens() bool { return c.Method == listenMethod }

// acknowledged reports whether c is a subscription that the server has taken.
func (c *call) acknowledged() bool {
	return c.req != nil && c.req.listen != nil && c.req.listen.ack != nil
}

// subscribe sorts in a frame whose writing begins, as far as subscriptions go. It
// has been sorted in as a message before.
func (b *builder) subscribe(f *frame) {
	switch {
	case !b.modern:
	case f.side == history.Client:
		if f.msg.Kind == history.Request && f.msg.Method == listenMethod && f.req != nil {
			f.req.listen = &subscription{asked: filterOf(f.msg)}
		}
	case f.msg.Sub != "" || f.msg.IsReply() || tellsChange(f.msg) || scoped(f.msg) || f.msg.Method == acknowledgement:
		b.account(f)
	}
	if f.side == history.Server {
		b.goesBefore(f)
	}
}

// goesBefore notes with the changes that are still to be told what the server writes
// instead.
func (b *builder) goesBefore(f *frame) {
	for _, r := range b.listening {
		if b.streamOf(r) != b.pen(f) {
			continue
		}
		for what, c := range r.listen.owed {
			if f.write.At <= c.At+tellBound {
				c.last = b.pen(f).share(b)
				r.listen.owed[what] = c
			}
		}
	}
}

// account notes how a message of the server's stands to subscriptions.
func (b *builder) account(f *frame) {
	id := f.msg.Sub
	if f.msg.IsReply() {
		id = f.msg.ID
	}
	r := b.ids[seat(history.Client)][id]
	if r == nil && b.perhaps(ofRequest, history.Client, id) {
		f.forgotten = true // it may be of one that is forgotten
		return
	}
	unclear := r != nil && r.reused
	if r != nil && r.listen == nil {
		r = nil
	}
	if f.msg.IsReply() && r == nil && f.msg.Sub == "" {
		return // of an ordinary call
	}
	a := &account{of: r, unclear: unclear}
	f.account = a
	if r == nil {
		b.anonymous(f)
		return
	}
	if f.req == nil {
		f.req = r // it shows in the call's listing
	}
	r.listen.messages++
	a.nth, a.after, a.open = r.listen.messages, before(r.c, f.write), true
	if a.after {
		b.lateFor(r, f)
		return
	}
	if f.msg.Method == acknowledgement && r.listen.ack == nil {
		r.listen.ack, r.listen.agreed = f, filterOf(f.msg)
	}
	if tellsChange(f.msg) {
		r.listen.told++
		delete(r.listen.owed, changeOf(f.msg))
	}
}

// lateFor notes a message of the subscription r that was begun after its cancel had
// been read.
func (b *builder) lateFor(r *request, f *frame) {
	s := r.listen
	switch {
	case f.since != nil && f.since.At < f.write.At && before(f.since, r.c):
		s.held = true
	case f.write.At > r.c.At+b.grace:
		if s.late == nil {
			s.late = f
		}
	case s.at == nil:
		s.at = f
	}
}

// anonymous looks for who may have asked for a message that does not say whose it
// is, among the subscriptions that are open or have ended in its instant.
func (b *builder) anonymous(f *frame) {
	b.prune(f.write)
	for _, r := range b.listening {
		asked := r.listen.asked.wants(f.msg)
		f.account.open = f.account.open || r.isOpen()
		f.account.wanted = f.account.wanted || asked && r.isOpen()
		f.account.ending = f.account.ending || asked && (r.c != nil || r.listen.ended != nil)
		if asked && f.msg.Sub == "" && r.isOpen() {
			r.listen.told++ // if not to whom
			delete(r.listen.owed, changeOf(f.msg))
		}
	}
}

// prune forgets subscriptions that were over before e.
func (b *builder) prune(e *history.Event) {
	b.listening = slices.DeleteFunc(b.listening, func(r *request) bool {
		end := earlier(r.c, r.listen.ended)
		return r.replies > 0 || end != nil && e.At > end.At+b.grace
	})
}

// hear sorts in a frame that was read, as far as subscriptions go.
func (b *builder) hear(f *frame) {
	if r := f.req; f.side == history.Client && f.msg.Kind == history.Request && r != nil && r.listen != nil {
		b.prune(f.read)
		b.listening = append(b.listening, r)
	}
}

// changed sorts in a change that the server's application made.
func (b *builder) changed(e *history.Event) {
	for _, r := range b.listening {
		s := r.listen
		if !r.isOpen() || s.ack == nil || !s.agreed.covers(e.Value) || s.owed[e.Value].Event != nil {
			continue
		}
		if s.owed == nil {
			s.owed = map[string]change{}
		}
		s.owed[e.Value] = change{Event: e, held: b.streamOf(r).busy() != nil}
	}
}

// streamOf is the writer of what the server sends for the subscription r.
func (b *builder) streamOf(r *request) *writer {
	if e := r.frame.on; e != nil {
		return &e.writer
	}
	return &b.writers[seat(history.Server)]
}
