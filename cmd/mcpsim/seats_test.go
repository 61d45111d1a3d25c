package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis"
	"github.com/mcpsim/mcpsim/sim/history"
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
