package protocol

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

func TestMessages(t *testing.T) {
	const ping, cancel = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	both := string(AppendBatch(nil, []byte(ping), []byte(cancel)))
	for _, row := range []struct {
		why, frame, version string
		kinds               []history.MessageKind
		batch               int // place of the last
	}{
		{"one message", ping + "\n", V20250326, []history.MessageKind{history.Request}, 0},
		{"a batch", both + "\n", V20250326, []history.MessageKind{history.Request, history.Notification}, 2},
		{"of one", "[" + ping + "]", V20250326, []history.MessageKind{history.Request}, 1},
		{"with what is no message", "[" + ping + ",1]", V20250326, []history.MessageKind{history.Request, history.Invalid}, 2},
		{"an empty array", "[]", V20250326, []history.MessageKind{history.Invalid}, 0},
		{"cut off", both[:len(both)-1], V20250326, []history.MessageKind{history.Invalid}, 0},
		{"before there were any", both, V20241105, []history.MessageKind{history.Invalid}, 0},
		{"and after", both, V20250618, []history.MessageKind{history.Invalid}, 0},
	} {
		var kinds []history.MessageKind
		last := 0
		for _, m := range Messages([]byte(row.frame), row.version) {
			kinds, last = append(kinds, m.Kind), m.Batch
		}
		assert.Equal(t, row.kinds, kinds, row.why)
		assert.Equal(t, row.batch, last, row.why)
	}
	members := Messages([]byte(both), V20250326)
	assert.Equal(t, ping, members[0].Raw)
	assert.Equal(t, "1", members[1].Ref)
}
