package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// An Option is a way in which an application can have a target behave. People type it
// behind the target's name and a plus sign, see [Typed].
type Option struct {
	Name       string         // lower-case letters and hyphens: "json"
	Doc        string         // what it changes, in a clause
	Sides      []history.Side // that it is for
	Transports []string       // over which it means something; see [Transports]
}

// A Typed is the name of a target as people type it:
//
//	NAME[+OPTION]...[@VERSION or @PATH]
//
// go-sdk, go-sdk+stateless+json, go-sdk+json@v1.7.0, mine@./target.
type Typed struct {
	Name    string
	Options []string // as they were typed; see [Choose]
	Where   string   // the version or the path; empty: none
	Pinned  bool     // there was an @
}

// ReadTyped takes a typed name apart. Whether there is such a target, with such options,
// is for others to say.
func ReadTyped(typed string) Typed {
	var t Typed
	typed, t.Where, t.Pinned = strings.Cut(typed, "@")
	words := strings.Split(typed, "+")
	t.Name, t.Options = words[0], words[1:]
	return t
}

// With returns the name of a target with these options, as histories and reports have
// it.
func With(name string, options []string) string {
	return strings.Join(append([]string{name}, options...), "+")
}

// Choose puts typed options into the order of those that a target has, so that one
// choice has one name. It errs where one is unknown or is there twice.
func Choose(name string, has, typed []string) ([]string, error) {
	var out []string
	for _, option := range has {
		if slices.Contains(typed, option) {
			out = append(out, option)
		}
	}
	for i, option := range typed {
		switch {
		case option == "":
			return nil, fmt.Errorf("%s: write an option behind the +", With(name, typed))
		case !slices.Contains(has, option):
			return nil, fmt.Errorf("%s has no option %q; %s", name, option, offer(has))
		case slices.Contains(typed[:i], option):
			return nil, fmt.Errorf("%s: %s is written twice", With(name, typed), option)
		}
	}
	return out, nil
}

func offer(has []string) string {
	if len(has) == 0 {
		return "it has none, so leave out the +"
	}
	return "it has +" + strings.Join(has, ", +")
}

// On returns the target as it is over a transport, by the name and version that it has.
func (t Target) On(transport string) Target {
	if t.Over == nil {
		return t
	}
	o := t.Over(transport)
	o.Name, o.Version, o.OneWorld = t.Name, t.Version, t.OneWorld || o.OneWorld
	return o
}

// Alone reports whether a world of the scenario, over its transport, needs a process of
// its own for the target's sake.
func (t Target) Alone(sc *Scenario) bool {
	return t.On(sc.Transport).OneWorld || t.DatesTasks && sc.hasTasks()
}
