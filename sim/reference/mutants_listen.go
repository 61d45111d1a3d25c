package reference

import (
	"bytes"
	"time"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// The defects of a server's subscriptions.
const (
	tellsEarly      defect = "tells-early"
	tellsAll        defect = "tells-all"
	dropsTags       defect = "drops-tags"
	confirmsCancel  defect = "confirms-cancel"
	tagsProgress    defect = "tags-progress"
	stopWaits       defect = "stop-waits"
	endsAllListened defect = "ends-all-listened"
)

func listenMutants() []Mutant {
	of := func(d defect, doc string, modern ...string) Mutant {
		return Mutant{Name: string(d), defect: d, Side: history.Server, Scenario: "listen-teardown", Doc: doc, Modern: modern}
	}
	return []Mutant{
		of(tellsEarly, "tells a new subscription of its resources before it acknowledges it: LISTEN-ACK-FIRST", "LISTEN-ACK-FIRST"),
		of(tellsAll, "tells every subscription of every change: LISTEN-ONLY-ASKED", "LISTEN-ONLY-ASKED"),
		of(dropsTags, "does not say which subscription a change is told to: LISTEN-TAG", "LISTEN-TAG"),
		of(confirmsCancel, "answers a subscription that its client cancels, to confirm its end: LISTEN-CANCEL", "LISTEN-CANCEL"),
		of(tagsProgress, "puts the id of a subscription on the progress of calls: LISTEN-NO-REQ-SCOPED", "LISTEN-NO-REQ-SCOPED"),
		of(stopWaits, "does not end while its subscriptions are open: CLOSE-BOUNDED", "CLOSE-BOUNDED"),
		of(endsAllListened, "tells nobody of anything once one subscription has ended: LISTEN-DELIVERS", "LISTEN-DELIVERS"),
	}
}

// beforeAcknowledging runs when the subscription s is about to be acknowledged. The
// caller has the turn.
func (n *session) beforeAcknowledging(s *subscription) {
	if n.defect != tellsEarly {
		return
	}
	for _, uri := range s.uris {
		s.call.lane.write(protocol.AppendChanged(nil, protocol.ResourceUpdated, s.call.id, uri))
	}
}

// tellsAll reports whether subscriptions are told of what they did not ask for.
func (n *session) tellsAll() bool { return n.defect == tellsAll }

// tagOf returns the id that tells whom a change is told to, empty for none.
func (n *session) tagOf(s *subscription) string {
	if n.defect == dropsTags {
		return ""
	}
	return s.call.id
}

// listened returns the response to a subscription that was not ended by one.
func (n *session) listened(s *subscription) []byte {
	if n.defect == endsAllListened {
		n.mu.Lock()
		n.deafened = true
		n.mu.Unlock()
	}
	if n.defect == confirmsCancel && n.ctx.Err() == nil {
		s.call.lane.take()
		defer s.call.lane.yield()
		s.call.lane.write(protocol.AppendListened(nil, s.call.id))
	}
	return nil
}

// keepsSecret reports whether changes are told to nobody any more.
func (n *session) keepsSecret() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.deafened
}

// reported returns the frame that reports progress, which is given without a
// subscription.
func (n *session) reported(frame []byte) []byte {
	if n.defect != tagsProgress {
		return frame
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.subs) == 0 {
		return frame
	}
	frame = append(bytes.TrimSuffix(frame, []byte("}}")), `,"_meta":{"`+protocol.MetaSubscription+`":`...)
	return append(append(frame, n.subs[0].call.id...), "}}}"...)
}

// beforeRetiring runs when the server's application has asked it to end.
func (n *session) beforeRetiring() {
	if n.defect != stopWaits {
		return
	}
	for n.listening() {
		time.Sleep(time.Second)
	}
}

// listening reports whether a subscription is open.
func (n *session) listening() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.subs) > 0
}
