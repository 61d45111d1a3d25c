package protocol

import (
	"encoding/json"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Batches reports whether version has batches: frames that are an array of
// messages. One version has, which wants every receiver to take them.
func Batches(version string) bool { return version == V20250326 }

// Messages tells what a frame says at a version: one message, or those of a batch
// in their order, each with its place in it. An empty array is no batch but an
// invalid message, as is any array where the version has no batches.
func Messages(frame []byte, version string) []*history.Message {
	m := Identify(frame)
	if members := Members(m, version); members != nil {
		return members
	}
	return []*history.Message{m}
}

// Members returns the messages of the batch that m, which [Identify] found to be
// no message, is at that version; nil if it is none.
func Members(m *history.Message, version string) []*history.Message {
	if m.Kind != history.Invalid || !Batches(version) || !strings.HasPrefix(strings.TrimLeft(m.Raw, " \t"), "[") {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal([]byte(m.Raw), &items) != nil {
		return nil
	}
	var out []*history.Message
	for i, item := range items {
		member := Identify(item)
		member.Batch = i + 1
		out = append(out, member)
	}
	return out
}

// AppendBatch adds the batch of frames, which are one message each.
func AppendBatch(b []byte, frames ...[]byte) []byte {
	b = append(b, '[')
	for i, f := range frames {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, f...)
	}
	return append(b, ']')
}
