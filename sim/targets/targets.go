// Package targets is the list of implementations that can be put to the test.
package targets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/gosdk"
	"github.com/mcpsim/mcpsim/sim/reference"
)

// All returns every target that is linked into this binary: SDKs first, then the
// reference, then its mutants.
func All() []sim.Target {
	return append([]sim.Target{gosdk.Target(linked(gosdk.Module()))}, reference.Targets()...)
}

// Find returns the target of that name. The name may carry a version,
// "go-sdk@v1.8.0", which must be the one that is linked in. Its error lists what
// there is.
func Find(typed string) (sim.Target, error) {
	all := All()
	name, version, pinned := strings.Cut(typed, "@")
	i := slices.IndexFunc(all, func(t sim.Target) bool { return t.Name == name })
	if i < 0 {
		return sim.Target{}, fmt.Errorf("there is no target %q; mcpsim list targets shows %s", name, names(all))
	}
	if pinned && version != all[i].Version {
		return sim.Target{}, fmt.Errorf("this mcpsim has %s, not %s; leave the version out, or build mcpsim again from a source that has it",
			described(all[i]), typed)
	}
	return all[i], nil
}

func described(t sim.Target) string {
	if t.Version == "" {
		return t.Name + " without a version of its own"
	}
	return t.Name + "@" + t.Version
}

// names lists all but the mutants, which are too many for a message.
func names(all []sim.Target) string {
	var out []string
	for _, t := range all {
		if !strings.HasPrefix(t.Name, "mutant:") {
			out = append(out, t.Name)
		}
	}
	return strings.Join(out, ", ") + " and the mutants"
}
