package history

const (
	maxWindow = 1 << 16 // frames that are remembered at a time, at most
	maxSkip   = 1 << 10 // numbers that a frame can be ahead of all others; beyond it, nothing before is remembered
)

// frames remembers what the frames under way say, so that a message is written
// once and not with each of its frame's events. The writer and the reader of a
// history, and its digest, run the same steps and so agree on what is
// remembered.
//
// A frame is forgotten once its writing and its reading are both over, or when
// it is maxWindow frames behind; should it occur again, its message is written
// again. So memory is bounded whatever the length of the history.
type frames struct {
	past int          // frames up to this number are forgotten
	head int          // all[head] is frame past+1
	all  []frameState // compacted when half of it is past
}

type frameState struct {
	msg  *Message
	raw  int  // len(msg.Raw) when it was noted
	done byte // doneWriting, doneReading
}

const (
	doneWriting byte = 1 << iota
	doneReading
	doneBoth = doneWriting | doneReading
)

// A mention is how an event speaks of its message.
type mention byte

const (
	noMessage    mention = iota // it has none
	knownMessage                // the one that is remembered for its frame
	newMessage                  // another one
)

// known returns the message that is remembered for frame n, or nil.
func (f *frames) known(n int) *Message {
	if n <= f.past || n-f.past > f.len() {
		return nil
	}
	return f.at(n).msg
}

// note tells how e speaks of its message, and remembers it.
func (f *frames) note(e *Event) mention {
	if e.Msg == nil {
		return noMessage
	}
	if e.Frame <= f.past {
		return newMessage
	}
	f.reach(e.Frame)
	s := f.at(e.Frame)
	how := newMessage
	if s.same(e.Msg) {
		how = knownMessage
	}
	s.msg, s.raw = e.Msg, len(e.Msg.Raw)
	s.end(e.Kind)
	if s.done == doneBoth {
		s.msg = nil
		f.advance()
	}
	return how
}

// same reports whether m says what was remembered. A frame that is recorded
// before it is complete may have grown since, in the same message.
func (s *frameState) same(m *Message) bool {
	if s.msg == m {
		return s.raw == len(m.Raw)
	}
	return sameMessage(s.msg, m)
}

func (s *frameState) end(kind Kind) {
	switch kind {
	case Wrote:
		s.done |= doneWriting
	case Read, Unread:
		s.done |= doneReading
	}
}

// at returns the state of frame n, which is neither past nor beyond.
func (f *frames) at(n int) *frameState { return &f.all[f.head+n-f.past-1] }

func (f *frames) len() int { return len(f.all) - f.head }

// reach makes room for frame n.
func (f *frames) reach(n int) {
	more := n - f.past - f.len()
	if more > maxSkip {
		f.forget(f.len())
		f.past = n - 1
		more = 1
	}
	if more > 0 {
		f.all = append(f.all, make([]frameState, more)...)
	}
	if over := f.len() - maxWindow; over > 0 {
		f.forget(over)
	}
}

// advance forgets what is over at the front.
func (f *frames) advance() {
	over := 0
	for over < f.len() && f.all[f.head+over].done == doneBoth {
		over++
	}
	f.forget(over)
}

func (f *frames) forget(n int) {
	f.past += n
	f.head += n
	if f.head*2 >= len(f.all) {
		left := copy(f.all, f.all[f.head:])
		clear(f.all[left:])
		f.all, f.head = f.all[:left], 0
	}
}
