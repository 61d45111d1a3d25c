package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
)

// RacesText renders the benign races that a run saw, each with the smallest seed that
// shows it at every version and the line to replay that, in at most 100 columns.
func RacesText(r Report) string {
	sections := []string{r.header()}
	var unseen []string
	for _, race := range oracle.Races() {
		if text := r.race(race); text != "" {
			sections = append(sections, text)
		} else {
			unseen = append(unseen, race.ID)
		}
	}
	last := "A benign race is never counted as a breach; either side may win it. mcpsim explain R1 says why."
	if len(sections) == 1 {
		sections = append(sections, "no benign race was seen, or the run is older than their being counted")
	} else if len(unseen) > 0 {
		last += " Not seen, or not told apart: " + strings.Join(unseen, ", ") + "."
	}
	text := trimLines(strings.Join(append(sections, fold(last, "")), "\n\n")) + "\n"
	if r.Style.ASCII {
		return ascii(text)
	}
	return text
}

// race is one race with what was seen of it at each version; empty if nothing was.
func (r Report) race(race oracle.Race) string {
	var lines []string
	for _, g := range r.Summary.Tested() {
		i := slices.IndexFunc(g.Races, func(s RaceSeen) bool { return s.Race == race.ID })
		if i < 0 {
			continue
		}
		s := g.Races[i]
		replay := r.Manifest.Replay(g.SpecVersion, s.Seed)
		if s.Call > 0 {
			replay = append(replay, "--call", strconv.Itoa(s.Call))
		}
		lines = append(lines,
			fmt.Sprintf("    %s: %s, in %s of %s", g.SpecVersion, times(s.N), group(s.Worlds), plural(g.Worlds, "world")),
			replayLines(replay, "    "))
	}
	if len(lines) == 0 {
		return ""
	}
	return join(append([]string{hang(left(race.ID, 4), race.What)}, lines...)...)
}
