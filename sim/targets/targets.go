// Package targets is the list of implementations that can be put to the test.
package targets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/gosdk"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/mcpgo"
	"github.com/mcpsim/mcpsim/sim/reference"
)

// All returns every target that is linked into this binary: SDKs first, then the
// reference, then its mutants.
func All() []sim.Target { return With(nil) }

// With returns what All does, for a binary that was built with other versions of
// some SDKs, versions by the target's name, and with targets of the user's own.
func With(versions map[string]string, own ...Own) []sim.Target {
	out := []sim.Target{
		gosdk.Target(cmp.Or(versions["go-sdk"], linked(gosdk.Module))),
		mcpgo.Target(cmp.Or(versions["mcp-go"], linked(mcpgo.Module))),
	}
	for _, o := range own {
		out = append(out, o.target())
	}
	return append(out, reference.Targets()...)
}

// An Own is a target of the user's.
type Own struct {
	Name    string // by which it is asked for, whatever the target calls itself
	Version string // of its source
	Target  sim.Target
}

func (o Own) target() sim.Target {
	t := o.Target
	t.Name, t.Version = o.Name, o.Version
	// Nobody knows what it keeps in its packages, or draws from the runtime's
	// chance while it does something for the first time.
	t.OneWorld = true
	return t
}

// Module returns the path of the module that a target of that name is built
// from, and whether there is one: SDKs have one, our own peers do not.
func Module(name string) (string, bool) {
	path, ok := map[string]string{"go-sdk": gosdk.Module, "mcp-go": mcpgo.Module}[name]
	return path, ok
}

// Describe tells another process of the targets.
func Describe(all []sim.Target) []lease.Player {
	out := make([]lease.Player, len(all))
	for i, t := range all {
		out[i] = lease.Player{
			Name: t.Name, Version: t.Version, Package: t.Package, Doc: t.Doc, SpecVersions: t.SpecVersions,
			Client: t.NewClient != nil, Server: t.NewServer != nil,
		}
	}
	return out
}

// Find returns the target among all that is typed: a name, or a name with the
// version that it must have.
func Find(all []sim.Target, typed string) (sim.Target, error) {
	name, version, pinned := strings.Cut(typed, "@")
	i := slices.IndexFunc(all, func(t sim.Target) bool { return t.Name == name })
	if i < 0 {
		return sim.Target{}, fmt.Errorf("there is no target %q", name)
	}
	if pinned && version != all[i].Version {
		return sim.Target{}, fmt.Errorf("the target %s is linked in version %q, not %q", name, all[i].Version, version)
	}
	return all[i], nil
}
