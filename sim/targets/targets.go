// Package targets is the list of implementations that can be put to the test.
package targets

import (
	"cmp"
	"fmt"
	"slices"

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

// Module returns the path of the module that a target of that name, without options, is
// built from, and whether there is one: SDKs have one, our own peers do not.
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
			Client: t.NewClient != nil, Server: t.NewServer != nil, Transports: t.Transports, Options: describe(t.Options),
		}
	}
	return out
}

func describe(options []sim.Option) []lease.Option {
	var out []lease.Option
	for _, o := range options {
		d := lease.Option{Name: o.Name, Doc: o.Doc, Transports: o.Transports}
		for _, side := range o.Sides {
			d.Sides = append(d.Sides, string(side))
		}
		out = append(out, d)
	}
	return out
}

// Find returns the target among all that is typed: a name, its options, and the
// version that it must have.
func Find(all []sim.Target, typed string) (sim.Target, error) {
	want := sim.ReadTyped(typed)
	i := slices.IndexFunc(all, func(t sim.Target) bool { return t.Name == want.Name })
	if i < 0 {
		return sim.Target{}, fmt.Errorf("there is no target %q", want.Name)
	}
	if want.Pinned && want.Where != all[i].Version {
		return sim.Target{}, fmt.Errorf("the target %s is linked in version %q, not %q", want.Name, all[i].Version, want.Where)
	}
	return with(all[i], want.Options)
}

// with returns the target with the options that were typed.
func with(t sim.Target, typed []string) (sim.Target, error) {
	var has []string
	for _, o := range t.Options {
		has = append(has, o.Name)
	}
	chosen, err := sim.Choose(t.Name, has, typed)
	if err != nil || len(chosen) == 0 {
		return t, err
	}
	out := t.With(chosen)
	// Whatever the target says of these: they are how it was asked for.
	out.Name, out.Version, out.OneWorld = sim.With(t.Name, chosen), t.Version, t.OneWorld || out.OneWorld
	return out, nil
}
