package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/scenarios"
	"github.com/mcpsim/mcpsim/sim"
)

// scenarioFile is the file of a scenario of the catalogue. The error for a name that is
// none says which was meant, if that can be guessed.
func scenarioFile(name string) ([]byte, error) {
	if !slices.Contains(scenarios.Names(), name) {
		return nil, fmt.Errorf("there is no scenario %q; %smcpsim list scenarios shows all", name, meant(name, scenarios.Names()))
	}
	return scenarios.Read(name)
}

// meant is a question with the legal word that is next to what was typed, or those that
// hold it; nothing if none is near. It ends with a blank.
func meant(typed string, legal []string) string {
	if near := sim.Nearest(typed, legal); near != "" {
		return "did you mean " + near + "? "
	}
	if near := containing(legal, strings.ToLower(typed)); len(near) > 0 {
		return "there are " + strings.Join(near, ", ") + "; "
	}
	return ""
}

// containing lists the words that hold a part of what was typed, a few at most.
func containing(words []string, part string) []string {
	var out []string
	for _, w := range words {
		if len(part) > 2 && strings.Contains(w, part) {
			out = append(out, w)
		}
	}
	return out[:min(len(out), 6)]
}
