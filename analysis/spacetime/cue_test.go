package spacetime

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/history"
)

func TestCuesInWords(t *testing.T) {
	for _, row := range []struct {
		side      history.Side
		id, value string
		want      string
	}{
		{history.Server, "7", "500", "says: resume after 500 ms"},
		{history.Client, "", "1660", "hears: resume after 1.66 s"},
		{history.Client, "", "99999999999999999999", "hears: resume after 99999999999999999999 ms"},
		{history.Server, "7", "", ""},
	} {
		e := history.Event{Side: row.side, Kind: history.Cue, EventID: row.id, Value: row.value}
		assert.Equal(t, row.want, cueSentence(e))
	}
}
