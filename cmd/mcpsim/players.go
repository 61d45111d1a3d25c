package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/engine"
	"github.com/mcpsim/mcpsim/sim/lease"
	"github.com/mcpsim/mcpsim/sim/targets"
)

// A pin is a target that is to come from somewhere else than this program's own
// go.mod.
type pin struct {
	name  string
	where string // a version, or a directory
}

func (p pin) String() string { return p.name + "@" + p.where }

// linkedPlayers describes the targets that are linked into this program, and so
// into the worker that is built when nothing is pinned.
func linkedPlayers() []lease.Player { return targets.Describe(targets.All()) }

// pins lists what the two sides ask for that is not linked in. Two of one module with
// different options are one.
func pins(client, server string) ([]pin, error) {
	linked := linkedPlayers()
	var out []pin
	for side, typed := range []string{client, server} {
		t := sim.ReadTyped(typed)
		p := pin{t.Name, t.Where}
		known := slices.ContainsFunc(linked, func(l lease.Player) bool { return l.Name == p.name })
		if err := p.check(t.Pinned, known); err != nil {
			return nil, fmt.Errorf("%s: %w", []string{"client", "server"}[side], err)
		}
		if !t.Pinned {
			continue
		}
		if j := slices.IndexFunc(out, func(o pin) bool { return o.name == p.name }); j >= 0 && out[j] != p {
			return nil, fmt.Errorf("%s and %s cannot play in one world: a process holds one version of a module; put reference opposite each", out[j], p)
		}
		out = append(out, p)
	}
	// What is linked in is there already.
	return slices.DeleteFunc(slices.Compact(out), func(p pin) bool {
		return slices.ContainsFunc(linked, func(l lease.Player) bool { return l.Name == p.name && l.Version == p.where })
	}), nil
}

// ownName is what a target of the user's may be called.
var ownName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (p pin) check(versioned, linked bool) error {
	_, module := targets.Module(p.name)
	switch {
	case versioned && p.where == "":
		return fmt.Errorf("%s: write a version or a path behind the @", p)
	case linked && versioned && !module:
		return fmt.Errorf("%s: %s is mcpsim's own and has no versions; leave out the @", p, p.name)
	case linked:
		return nil
	case !versioned || !engine.IsPath(p.where):
		var all []string
		for _, l := range linkedPlayers() {
			all = append(all, l.Name)
		}
		return fmt.Errorf("there is no target %q; %smcpsim list targets shows %s; one of your own is NAME@PATH, with ./ or ../ in the path",
			p.name, meant(p.name, all), names(linkedPlayers()))
	case !ownName.MatchString(p.name):
		return fmt.Errorf("%s: call it with lower-case letters, digits and hyphens", p)
	}
	return nil
}

// names lists all but the mutants, which are too many for a message.
func names(all []lease.Player) string {
	var out []string
	for _, p := range all {
		if !strings.HasPrefix(p.Name, "mutant:") {
			out = append(out, p.Name)
		}
	}
	return strings.Join(out, ", ") + " and the mutants"
}

// recipe finds what the pins name. It may reach the module proxy.
func recipe(ctx context.Context, pinned []pin) (engine.Recipe, error) {
	var r engine.Recipe
	for _, p := range pinned {
		path, known := targets.Module(p.name)
		if known {
			m, err := engine.FindModule(ctx, p.name, path, p.where)
			if err != nil {
				return engine.Recipe{}, err
			}
			r.Modules = append(r.Modules, m)
			continue
		}
		own, err := engine.FindPackage(ctx, p.name, p.where)
		if err != nil {
			return engine.Recipe{}, err
		}
		r.Packages = append(r.Packages, own)
	}
	return r, nil
}

// build builds the worker that the experiment needs and, where players come from
// elsewhere, learns from it who they are.
func (e *experiment) build(ctx context.Context, stderr io.Writer) (engine.Worker, error) {
	r, err := recipe(ctx, e.pinned)
	if err != nil {
		if ctx.Err() != nil {
			return engine.Worker{}, failed(ctx.Err())
		}
		return engine.Worker{}, usage(err)
	}
	worker, err := buildWorker(ctx, r, stderr)
	if err != nil {
		return engine.Worker{}, err
	}
	if len(e.pinned) == 0 {
		return worker, nil
	}
	return worker, e.cast(worker.Players)
}

// cast seats the two sides with those of the players that were asked for.
func (e *experiment) cast(players []lease.Player) error {
	e.players = players
	var err error
	if e.client, err = e.seat(e.scenario.Client, "client"); err != nil {
		return usage(err)
	}
	if e.server, err = e.seat(e.scenario.Server, "server"); err != nil {
		return usage(err)
	}
	if err := e.chooseVersions(); err != nil {
		return usage(err)
	}
	return nil
}

// seat finds a player and makes sure that it can sit on that side, with the options
// that were typed.
func (e *experiment) seat(typed, side string) (lease.Player, error) {
	t := sim.ReadTyped(typed)
	p := e.player(t.Name)
	if side == "client" && !p.Client || side == "server" && !p.Server {
		if !p.Client && !p.Server {
			return p, fmt.Errorf("%s cannot sit anywhere: its Target has neither NewClient nor NewServer", t.Name)
		}
		return p, fmt.Errorf("%s cannot sit on the %s's side; it is for the %s's", t.Name, side, sides(p))
	}
	if over := spoken(p); !slices.Contains(over, e.scenario.Transport) {
		return p, fmt.Errorf("%s speaks %s, and %s is played over %s; name another target, or another --transport", t.Name, strings.Join(over, " and "), e.scenario.Name, e.scenario.Transport)
	}
	chosen, err := sim.Choose(p.Name, optionNames(p), t.Options)
	if err != nil {
		return p, fmt.Errorf("%s: %w", side, err)
	}
	for _, o := range p.Options {
		if slices.Contains(chosen, o.Name) {
			if err := e.fits(o, side); err != nil {
				return p, fmt.Errorf("%s: %s: %w", side, sim.With(p.Name, chosen), err)
			}
		}
	}
	p.Name = sim.With(p.Name, chosen)
	return p, nil
}

func optionNames(p lease.Player) []string {
	var out []string
	for _, o := range p.Options {
		out = append(out, o.Name)
	}
	return out
}

// fits errs when an option means nothing on that side, or over the scenario's
// transport.
func (e *experiment) fits(o lease.Option, side string) error {
	switch {
	case !slices.Contains(o.Sides, side):
		return fmt.Errorf("+%s is for the %s's side; leave it out here", o.Name, strings.Join(o.Sides, " or "))
	case !slices.Contains(o.Transports, e.scenario.Transport):
		return fmt.Errorf("+%s means something over %s, and %s is played over %s; leave it out, or write --transport",
			o.Name, strings.Join(o.Transports, " and "), e.scenario.Name, e.scenario.Transport)
	}
	return nil
}

// player returns the one of that name, without options. It exists: see pins.
func (e *experiment) player(name string) lease.Player {
	i := slices.IndexFunc(e.players, func(p lease.Player) bool { return p.Name == name })
	if i < 0 {
		panic("nobody is called " + name)
	}
	return e.players[i]
}

// sources says which players come from which directory, as it was typed.
func (e *experiment) sources() map[string]string {
	out := map[string]string{}
	for _, p := range e.pinned {
		if engine.IsPath(p.where) {
			out[p.name] = p.where
		}
	}
	return out
}

// sides lists where a player can sit.
func sides(p lease.Player) string {
	var out []string
	if p.Client {
		out = append(out, "client")
	}
	if p.Server {
		out = append(out, "server")
	}
	return strings.Join(out, " ")
}

// label names a player with its version, so that a worker that was built with
// another one refuses it rather than be reported under the wrong name.
func label(p lease.Player) string {
	if p.Version == "" {
		return p.Name
	}
	return p.Name + "@" + p.Version
}
