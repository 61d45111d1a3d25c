package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

const unruly = `name: unruly
summary: everything that our own peers can be asked for
load:
  callers: 3
  calls: 60
  ids:
    - {kind: counting}
    - {kind: zero}
    - {kind: string}
    - {kind: twins, weight: 3}
    - {kind: negative}
    - {kind: huge}
    - {kind: reused-after}
    - {kind: reused-before}
    - {kind: fractional}
    - {kind: null-id}
  tokens: reused
  batch: 0.5
handlers:
  - {kind: chatty, every: 5ms, work: 50ms}
cancel:
  share: 0.5
  together: 0.5
  strays:
    - {kind: unknown, share: 0.5}
    - {kind: twin-id, share: 0.25}
mischief:
  - {kind: late-answer, share: 0.5}
`

func parsed(t *testing.T, text string) *Scenario {
	t.Helper()
	sc, err := Parse("unruly.yaml", []byte(text))
	require.NoError(t, err)
	return sc
}

func expanded(t *testing.T, text string, seed uint64) *Schedule {
	t.Helper()
	s, err := Expand(parsed(t, text), seed, nil)
	require.NoError(t, err)
	return s
}

func TestMischiefIsReadBack(t *testing.T) {
	sc := parsed(t, unruly)
	again, err := Parse("unruly.yaml", sc.Marshal())
	require.NoError(t, err)
	assert.Equal(t, sc, again)
}

func TestMischiefIsTheSeeds(t *testing.T) {
	assert.Equal(t, expanded(t, unruly, 7), expanded(t, unruly, 7))
	assert.NotEqual(t, expanded(t, unruly, 7).Calls, expanded(t, unruly, 8).Calls)
}

// One kind of mischief more shifts nothing that was there without it.
func TestMischiefShiftsNothing(t *testing.T) {
	plain := expanded(t, unruly, 3)
	more := expanded(t, strings.Replace(unruly, "    - {kind: twin-id", "    - {kind: finished, share: 0.5}\n    - {kind: twin-id", 1), 3)
	finished := 0
	for i := range more.Calls {
		m := *more.Calls[i].Mischief
		var kept []string
		for _, kind := range m.Strays {
			if kind == Finished {
				finished++
			} else {
				kept = append(kept, kind)
			}
		}
		m.Strays = kept
		more.Calls[i].Mischief = &m
	}
	assert.Positive(t, finished)
	assert.Equal(t, plain, more)
}

func TestIDsOfAWorld(t *testing.T) {
	zeros, twins, together := 0, 0, 0
	numbers := map[string]bool{}
	for _, c := range expanded(t, unruly, 1).Calls {
		m := c.Mischief
		require.NotNil(t, m)
		if m.ID == "0" {
			zeros++
		}
		if digits := strings.Trim(m.ID, `"`); digits != m.ID && numbers[digits] {
			twins++
		}
		numbers[m.ID] = true
		if m.ID == "null" || strings.Contains(m.ID, ".") || m.Reuse == ReusedBefore {
			assert.NotNil(t, c.Cancel, "nobody owes call %d an answer, so somebody has to give it up", c.Call)
		}
		if m.Together {
			together++
			assert.Less(t, *c.Cancel, time.Microsecond, "call %d is given up before its request is written", c.Call)
		}
		assert.Equal(t, "p-of-caller-", strings.TrimRight(c.Token, "012"))
	}
	assert.Equal(t, 1, zeros, "0 is given once")
	assert.Positive(t, twins)
	assert.Positive(t, together)
}

func TestOrdinaryCallsHaveNoMischief(t *testing.T) {
	for _, c := range expanded(t, "name: plain\nsummary: nothing of the kind\nhandlers: [{kind: instant}]\n", 1).Calls {
		assert.Nil(t, c.Mischief)
		assert.Empty(t, c.Token)
	}
}

func TestBreaches(t *testing.T) {
	reuse := &Scenario{Load: Load{IDs: []IDKind{{Kind: ReusedAfter}, {Kind: Twins}, {Kind: Huge}, {Kind: Zero}}}}
	for _, row := range []struct {
		why            string
		sc             *Scenario
		version        string
		client, server bool
		want           []string
	}{
		{"nothing asked, nothing broken", &Scenario{}, protocol.V20251125, true, true, nil},
		{"no id may be used again", reuse, protocol.V20251125, true, true, []string{"client:ID-NO-REUSE-L"}},
		{"after the response it may; odd ids are legal", reuse, protocol.V20260728, true, true, nil},
		{"not while it is in flight", &Scenario{Load: Load{IDs: []IDKind{{Kind: ReusedBefore}}}}, protocol.V20260728, true, true, []string{"client:ID-NO-REUSE-M", "client:RETRY-NEW-ID"}},
		{"who cannot does not", reuse, protocol.V20251125, false, true, nil},
		{"tokens are the application's", &Scenario{Load: Load{Tokens: SharedTokens}}, protocol.V20251125, false, false, []string{"client:PROGRESS-TOKEN-UNIQUE"}},
		{"each once", &Scenario{Cancel: CancelPlan{Strays: []Share{{Kind: Unknown}, {Kind: ExtraMembers}, {Kind: NullID}}}}, protocol.V20251125, true, true,
			[]string{"client:CANCEL-ONLY-ISSUED", "client:CANCEL-HAS-ID"}},
		{"the server's", &Scenario{Mischief: []Share{{Kind: SecondAnswer}, {Kind: PingCancelled}}}, protocol.V20251125, true, true, []string{"server:RESP-ONCE"}},
		{"an SDK's server does none of it", &Scenario{Mischief: []Share{{Kind: SecondAnswer}}}, protocol.V20251125, true, false, nil},
	} {
		assert.Equal(t, row.want, breaches(row.sc, row.version, row.client, row.server), row.why)
	}
}

func TestWanting(t *testing.T) {
	cfg := WorldConfig{Scenario: parsed(t, unruly), SpecVersion: protocol.V20250326, Client: Target{Name: "a"}, Server: Target{Name: "b"}}
	assert.Equal(t, []string{
		"client a chooses its ids itself; add --client reference",
		"client a writes no cancel together with its request; add --client reference",
		"client a writes no stray cancels; add --client reference",
		"client a sends no batches; add --client reference",
		"server b does no mischief; add --server reference",
	}, wanting(cfg))
	cfg.Client.Unruly, cfg.Server.Unruly = true, true
	assert.Empty(t, wanting(cfg), "what is done is not missed")

	cfg.Scenario, cfg.Client.Unruly = &Scenario{Load: Load{Batch: 0.5}}, false
	cfg.SpecVersion = protocol.V20250326
	assert.Equal(t, []string{"client a sends no batches; add --client reference"}, wanting(cfg))
	cfg.SpecVersion = protocol.V20251125
	assert.Equal(t, []string{"2025-11-25 has no batches"}, wanting(cfg))
}
