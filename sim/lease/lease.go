// Package lease is what passes between the program and its workers: which world
// to run, and what came of it. It carries bytes that others made and reads none
// of them.
//
// A worker is a child process. It takes frames on one descriptor and answers on
// another: a setup first, then leases, each answered by one reply. While a world
// runs under a setup that asks for it, the worker also sends every event as it
// happens, so that a world that kills the process still leaves its history.
package lease

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// The descriptors of a worker.
const (
	InFD    = 3 // leases
	OutFD   = 4 // replies
	CrashFD = 5 // what the runtime prints when it dies
)

// Protocol is the version of what this package defines. A program and a worker
// that were built from different sources are told by it.
const Protocol = 2

// A Mode says how much a worker does with a world.
type Mode string

// Bare runs the world and observes nothing; it exists to measure what observing
// costs. Record observes, Judge also judges.
const (
	Bare   Mode = "bare"
	Record Mode = "record"
	Judge  Mode = "judge"
)

// A Pair names who sits on the two sides.
type Pair struct {
	Arm    string `json:"arm"`
	Client string `json:"client"`
	Server string `json:"server"`
}

// A Setup is what all leases of a worker have in common.
type Setup struct {
	Scenario []byte `json:"scenario"` // YAML
	Pairs    []Pair `json:"pairs"`
	Mode     Mode   `json:"mode"`
	Stream   bool   `json:"stream"` // send each event as it happens
	// Budgets go into the header of every history, as the judge's.
	Budgets map[string]time.Duration `json:"budgets_ns,omitempty"`
}

// A Lease is one world to run.
type Lease struct {
	Pair          int     `json:"pair"` // index into Setup.Pairs
	SpecVersion   string  `json:"spec_version"`
	Seed          uint64  `json:"seed"`
	SchedulerSeed *uint64 `json:"scheduler_seed,omitempty"` // nil: derived from the seed
	Keep          bool    `json:"keep,omitempty"`           // send the encoded history back
}

// A Reply is what came of one lease. Replies come in the order of the leases.
type Reply struct {
	World   json.RawMessage // the judged world, or nothing in the modes that do not judge
	History []byte          // encoded, where the lease asked for it
	Dirty   bool            // the world left something behind, so that the worker should be replaced
	Error   string          // the world could not be run; the experiment's fault, not the target's
}

// A Kind tells the frames of a worker's two streams apart.
type Kind byte

// The kinds of frames.
const (
	KindSetup Kind = 's' // to the worker: a Setup as JSON
	KindLease Kind = 'l' // to the worker: a Lease as JSON
	KindHello Kind = 'h' // from the worker, first: a Hello as JSON
	KindEvent Kind = 'e' // from the worker, under Setup.Stream: one line of an encoded history
	KindReply Kind = 'r' // from the worker: an encoded Reply
)

// A Hello is how a worker introduces itself.
type Hello struct {
	Protocol int    `json:"protocol"` // the worker's [Protocol]
	Virtual  bool   `json:"virtual"`  // its clock is simulated
	Seeded   bool   `json:"seeded"`   // its chance and scheduler follow the seed
	Go       string `json:"go"`       // runtime.Version()

	Players []Player `json:"players"` // who can play in it
}

// A Player is an implementation that a worker has linked in, as far as it can be
// described from outside.
type Player struct {
	Name         string   `json:"name"`
	Version      string   `json:"version,omitempty"`
	Package      string   `json:"package"`       // import path of its own code
	Doc          string   `json:"doc"`           // one sentence
	SpecVersions []string `json:"spec_versions"` // oldest first
	Client       bool     `json:"client"`        // it can sit on the client's side
	Server       bool     `json:"server"`        // and on the server's

	Transports []string `json:"transports,omitempty"` // that it speaks; empty: stdio alone
	Options    []Option `json:"options,omitempty"`    // that can be typed behind its name, in this order
}

// An Option is one way in which a player can be had.
type Option struct {
	Name       string   `json:"name"`
	Doc        string   `json:"doc"`        // a clause
	Sides      []string `json:"sides"`      // that it is for
	Transports []string `json:"transports"` // over which it means something
}

// MaxFrame bounds a frame, in bytes. A kept history is the largest.
const MaxFrame = 1 << 30

// Write writes one frame in a single call of w.Write.
func Write(w io.Writer, kind Kind, payload []byte) error {
	if len(payload) > MaxFrame {
		return fmt.Errorf("write frame %q: %d bytes are more than %d", byte(kind), len(payload), MaxFrame)
	}
	frame := make([]byte, 5, 5+len(payload))
	binary.BigEndian.PutUint32(frame, uint32(len(payload)))
	frame[4] = byte(kind)
	_, err := w.Write(append(frame, payload...))
	return err
}

// WriteJSON writes v as JSON in one frame.
func WriteJSON(w io.Writer, kind Kind, v any) error {
	payload, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write frame %q: %w", byte(kind), err)
	}
	return Write(w, kind, payload)
}

// Read reads one frame. It returns io.EOF only between frames.
func Read(r io.Reader) (Kind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > MaxFrame {
		return 0, nil, fmt.Errorf("read frame: %d bytes are more than %d", n, MaxFrame)
	}
	payload := make([]byte, n)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return Kind(head[4]), payload, nil
}

// Encode puts a reply into one payload: the lengths of its parts, then the
// parts. JSON would copy and quote a history twice.
func (r Reply) Encode() []byte {
	out := make([]byte, 0, 16+len(r.World)+len(r.History)+len(r.Error))
	dirty := byte(0)
	if r.Dirty {
		dirty = 1
	}
	out = append(out, dirty)
	for _, part := range [][]byte{r.World, r.History, []byte(r.Error)} {
		out = binary.AppendUvarint(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

// DecodeReply reads what Encode wrote.
func DecodeReply(payload []byte) (Reply, error) {
	if len(payload) == 0 {
		return Reply{}, errors.New("decode reply: empty")
	}
	r := Reply{Dirty: payload[0] == 1}
	rest := payload[1:]
	parts := [3][]byte{}
	for i := range parts {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return Reply{}, fmt.Errorf("decode reply: part %d is cut short", i)
		}
		parts[i], rest = rest[size:size+int(n)], rest[size+int(n):]
	}
	r.World, r.History, r.Error = parts[0], parts[1], string(parts[2])
	return r, nil
}
