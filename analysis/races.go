package analysis

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// A RaceSeen is how often a benign race was seen, with the smallest seed that shows it.
type RaceSeen struct {
	Race   string `json:"race"`           // "R4"
	N      int    `json:"n"`              // times at least: of several rules that left it uncounted in a world, the one that did so most often counts
	Worlds int    `json:"worlds"`         // with at least one
	Seed   uint64 `json:"seed"`           // the smallest that shows it
	Call   int    `json:"call,omitempty"` // of that world, that shows it; 0: not known
}

// phaseRaces are the races that the phase of a cancel alone tells.
var phaseRaces = map[oracle.Phase]string{
	oracle.BeforeRequest: "R4",
	oracle.Returned:      "R2",
	oracle.Crossing:      "R1",
	oracle.AfterResponse: "R3",
}

// An excuse is why a rule left something uncounted.
type excuse struct{ rule, why string }

// excuses are the races for which rules leave something uncounted.
func excuses(rules []string) map[excuse]string {
	out := map[excuse]string{}
	for _, r := range oracle.Rules() {
		for _, x := range r.Exempt {
			if x.Why != "" && x.Race != "" && slices.Contains(rules, r.ID) {
				out[excuse{r.ID, x.Why}] = x.Race
			}
		}
	}
	return out
}

// racesOf are the benign races that a world shows, by number.
func racesOf(w World, excused map[excuse]string) []RaceSeen {
	seen := map[string]RaceSeen{}
	note := func(race string, n, call int) {
		if race == "" || n == 0 {
			return
		}
		s := seen[race]
		s.N, s.Call = max(s.N, n), cmp.Or(s.Call, call)
		seen[race] = RaceSeen{Race: race, N: s.N, Worlds: 1, Seed: w.Seed, Call: s.Call}
	}
	for _, v := range w.Judgement.Verdicts {
		byRace := map[string]int{}
		for _, u := range v.Uncounted {
			byRace[excused[excuse{v.Rule, u.Why}]] += u.N
		}
		for race, n := range byRace {
			note(race, n, 0)
		}
	}
	times, first := map[string]int{}, map[string]int{}
	for _, c := range w.Judgement.Calls {
		if race := phaseRaces[c.Phase]; race != "" && c.Sent {
			times[race]++
			first[race] = cmp.Or(first[race], c.Call)
		}
	}
	for race, n := range times {
		note(race, n, first[race])
	}
	return sortedRaces(seen)
}

// byRaceNumber puts R2 before R10.
func byRaceNumber(a, b RaceSeen) int { return cmp.Compare(raceNumber(a.Race), raceNumber(b.Race)) }

func raceNumber(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "R"))
	if err != nil {
		return 0
	}
	return n
}

// addRace adds what one world, or several, saw of a race.
func addRace(seen map[string]RaceSeen, s RaceSeen) {
	old, known := seen[s.Race]
	if known {
		if old.Seed < s.Seed || old.Seed == s.Seed && old.Call != 0 {
			s.Seed, s.Call = old.Seed, old.Call
		}
		s.N, s.Worlds = s.N+old.N, s.Worlds+old.Worlds
	}
	seen[s.Race] = s
}

// sortedRaces lists them by number; nil if there are none.
func sortedRaces(seen map[string]RaceSeen) []RaceSeen {
	var out []RaceSeen
	for _, s := range seen {
		out = append(out, s)
	}
	slices.SortFunc(out, byRaceNumber)
	return out
}
