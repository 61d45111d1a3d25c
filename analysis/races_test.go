package analysis

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// TestRacesOf: a race is known by the cancel's phase, or by why a rule left it uncounted;
// of two rules that did so, one counts.
func TestRacesOf(t *testing.T) {
	rule, _ := oracle.FindRule("CANCEL-NO-RESPONSE")
	why := ""
	for _, x := range rule.Exempt {
		if x.Race == "R1" {
			why = x.Why
		}
	}
	w := World{Seed: 7, Judgement: oracle.Judgement{
		Verdicts: []oracle.Verdict{
			{Rule: "CANCEL-NO-RESPONSE", Uncounted: []oracle.Uncounted{{Why: why, N: 3}, {Why: "something else", N: 9}}},
			{Rule: "CANCEL-SILENCE", Uncounted: []oracle.Uncounted{{Why: why, N: 2}}},
		},
		Calls: []oracle.CallResult{
			{Call: 1, Sent: true, Phase: oracle.Running}, {Call: 2, Sent: true, Phase: oracle.Crossing},
			{Call: 3, Sent: true, Phase: oracle.BeforeRequest}, {Call: 4, Sent: true, Phase: oracle.BeforeRequest},
			{Call: 5, Phase: oracle.NeverIssued},
		},
	}}
	seen := racesOf(w, excuses([]string{"CANCEL-NO-RESPONSE", "CANCEL-SILENCE"}))
	assert.Equal(t, []RaceSeen{
		{Race: "R1", N: 3, Worlds: 1, Seed: 7, Call: 2},
		{Race: "R4", N: 2, Worlds: 1, Seed: 7, Call: 3},
	}, seen)
}

// TestAddRace keeps the smallest seed, in whatever order the worlds come.
func TestAddRace(t *testing.T) {
	a, b := RaceSeen{Race: "R4", N: 2, Worlds: 1, Seed: 9, Call: 4}, RaceSeen{Race: "R4", N: 5, Worlds: 1, Seed: 3, Call: 1}
	for _, order := range [][]RaceSeen{{a, b}, {b, a}} {
		seen := map[string]RaceSeen{}
		for _, s := range order {
			addRace(seen, s)
		}
		assert.Equal(t, []RaceSeen{{Race: "R4", N: 7, Worlds: 2, Seed: 3, Call: 1}}, sortedRaces(seen))
	}
}

// TestRacesText has a line to replay for each race that was seen, and says what was not.
func TestRacesText(t *testing.T) {
	r := Report{Manifest: Manifest{Scenario: "cancel-storm", SpecVersions: []string{"2025-11-25"}}}
	r.Summary.Groups = []Group{{Arm: ArmTarget, SpecVersion: "2025-11-25", Worlds: 10}}
	assert.Contains(t, RacesText(r), "no benign race was seen")
	r.Summary.Groups[0].Races = []RaceSeen{{Race: "R4", N: 2, Worlds: 1, Seed: 7, Call: 3}}
	text := RacesText(r)
	assert.Contains(t, text, "\nR4  A cancel arrives before its request")
	assert.Contains(t, text, "\n    2025-11-25: 2 times, in 1 of 10 worlds\n    mcpsim replay cancel-storm --seed 7 --spec-version 2025-11-25 ")
	assert.Contains(t, text, " --call 3\n")
	assert.Contains(t, text, "seen, or not told apart: R1, R2, R3, R5, ")
}
