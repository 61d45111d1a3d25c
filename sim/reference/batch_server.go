package reference

import (
	"sync"

	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A batch is what a server knows of a batch that it is working on. Its requests are
// worked on side by side. What they come to is answered in one batch, when all of them
// are done or cancelled; a request that is cancelled by then is not answered.
type batch struct {
	mu      sync.Mutex
	working int // requests that are not done, and the reader, who may find more
	done    []member
}

// A member is a request of a batch with the frame that is to answer it.
type member struct {
	call  *call
	frame []byte
}

// receiveBatch acts on the messages of a batch.
func (n *session) receiveBatch(members []*history.Message, in arrival) {
	in.batch = &batch{working: 1}
	for _, m := range members {
		n.receive(m, in)
	}
	n.passed(in.batch)
}

// join counts a request of the batch.
func (b *batch) join() *batch {
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.working++
	}
	return b
}

func (b *batch) add(c *call, frame []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = append(b.done, member{c, frame})
}

// passed says that one that the batch waits for is done. The last one has it answered.
func (n *session) passed(b *batch) {
	if b == nil {
		return
	}
	b.mu.Lock()
	b.working--
	last := b.working == 0
	done := b.done
	b.mu.Unlock()
	if last && len(done) > 0 {
		l := done[0].call.lane
		n.spawn(l, func() { n.answerBatch(l, done) })
	}
}

// answerBatch writes what there is to answer. A batch of which nothing is left is not
// answered at all.
func (n *session) answerBatch(l *lane, done []member) {
	l.take()
	defer l.yield()
	var frames [][]byte
	l.gathering = &frames
	for _, a := range done {
		n.respond(a.call, a.frame)
	}
	l.gathering = nil
	if len(frames) > 0 {
		l.write(protocol.AppendBatch(nil, frames...))
	}
}
