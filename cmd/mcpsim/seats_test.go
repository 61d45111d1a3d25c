package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/lease"
)

// TestSeats is who plays when a finding is replayed: as recorded, but for what the
// user names.
func TestSeats(t *testing.T) {
	variant := history.Peer{Target: "go-sdk+json", Version: "v1.8.0"}
	sdk, reference := history.Peer{Target: "go-sdk", Version: "v1.8.0"}, history.Peer{Target: "reference"}
	for _, c := range []struct {
		why            string
		client, server history.Peer
		asked, want    [2]string
	}{
		{"nobody is named", sdk, reference, [2]string{}, [2]string{"go-sdk@v1.8.0", "reference"}},
		{"the fix comes from a checkout, on both sides of one process", sdk, sdk, [2]string{"", "go-sdk@../go-sdk"}, [2]string{"go-sdk", "go-sdk@../go-sdk"}},
		{"likewise from the other side", sdk, sdk, [2]string{"go-sdk@v1.7.0", ""}, [2]string{"go-sdk@v1.7.0", "go-sdk"}},
		{"another implementation stays", reference, sdk, [2]string{"", "go-sdk@../go-sdk"}, [2]string{"reference", "go-sdk@../go-sdk"}},
		{"options are no other implementation", sdk, variant, [2]string{"go-sdk@../go-sdk", ""}, [2]string{"go-sdk@../go-sdk", "go-sdk+json"}},
		{"nor are those of the side that is named", variant, sdk, [2]string{"", "go-sdk+store@v1.7.0"}, [2]string{"go-sdk+json", "go-sdk+store@v1.7.0"}},
		{"both are named", sdk, sdk, [2]string{"reference", "mcp-go"}, [2]string{"reference", "mcp-go"}},
	} {
		client, server := seats(analysis.Manifest{Client: c.client, Server: c.server}, c.asked[0], c.asked[1])
		assert.Equal(t, c.want, [2]string{client, server}, c.why)
	}
}

// TestMoved is what a replay owns up to: a side that nobody named, and that is not as
// it was recorded.
func TestMoved(t *testing.T) {
	player := func(name, version string) lease.Player { return lease.Player{Name: name, Version: version} }
	sdk, reference := history.Peer{Target: "go-sdk", Version: "v1.8.0"}, history.Peer{Target: "reference"}
	for _, c := range []struct {
		why            string
		peers          [2]history.Peer
		kept           [2]bool
		client, server lease.Player
		want           string
	}{
		{"nothing is named", [2]history.Peer{sdk, sdk}, [2]bool{true, true}, player("go-sdk", "v1.8.0"), player("go-sdk", "v1.8.0"), ""},
		{"the client comes along", [2]history.Peer{sdk, sdk}, [2]bool{true, false}, player("go-sdk", "v1.7.0"), player("go-sdk", "v1.7.0"),
			"note: the client is go-sdk@v1.7.0 too, not go-sdk@v1.8.0 as recorded"},
		{"so does the server", [2]history.Peer{sdk, sdk}, [2]bool{false, true}, player("go-sdk", "v1.7.0"), player("go-sdk", "v1.7.0"),
			"note: the server is go-sdk@v1.7.0 too"},
		{"both are named", [2]history.Peer{sdk, sdk}, [2]bool{}, player("go-sdk", "v1.7.0"), player("go-sdk", "v1.7.0"), ""},
		{"another module stays", [2]history.Peer{reference, sdk}, [2]bool{true, false}, player("reference", ""), player("go-sdk", "v1.7.0"), ""},
	} {
		lines := recorded{peers: c.peers, kept: c.kept}.moved(&experiment{client: c.client, server: c.server})
		if c.want == "" {
			assert.Empty(t, lines, c.why)
		} else if assert.Len(t, lines, 1, c.why) {
			assert.Contains(t, lines[0], c.want, c.why)
		}
	}
}
