package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/history"
)

// TestCheckDoesNotTrustAHeader: by a version that there is not, nothing is judged.
// What a header says of its targets does not reach a terminal raw.
func TestCheckDoesNotTrustAHeader(t *testing.T) {
	for _, c := range []struct {
		why, version string
		code         int
		says         string
	}{
		{"a version that there is not", "1999-01-01", exitFailed, `the protocol version "1999-01-01", of which there is none`},
		{"a version that there is", "2025-11-25", exitVacuous, "no rule was exercised at all"},
	} {
		var b bytes.Buffer
		require.NoError(t, history.Encode(&b, &history.History{Header: history.Header{
			Schema: history.Schema, SpecVersion: c.version, Client: history.Peer{Target: "x\x1b[31mred"},
		}}), c.why)
		file := filepath.Join(t.TempDir(), "one.ndjson")
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
		var out, stderr bytes.Buffer
		assert.Equal(t, c.code, run([]string{"check", file}, &out, &stderr), "%s: %s%s", c.why, &out, &stderr)
		assert.Contains(t, out.String()+stderr.String(), c.says, c.why)
		assert.NotContains(t, out.String()+stderr.String(), "\x1b[31m", c.why)
	}
}
