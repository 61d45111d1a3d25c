package sim

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/netem"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// scenario reads the whole file. The keys are in the order in which the resolved
// form has them.
func (d *decoder) scenario(sc *Scenario, n *node) {
	d.transported(sc, n)
	d.mapping(n, "",
		key{"name", d.text(&sc.Name, "cancel-storm"), "cancel-storm"},
		key{"summary", d.text(&sc.Summary, "many calls, most of them cancelled"), "what the scenario hunts, in one sentence"},
		key{"transport", d.text(&sc.Transport, Stdio), ""},
		key{"http", func(n *node, path string) { d.http(&sc.HTTP, n, path) }, ""},
		key{"spec_versions", d.versions(&sc.SpecVersions, "[2025-11-25, 2026-07-28]"), ""},
		key{"client", d.text(&sc.Client, "go-sdk"), ""},
		key{"server", d.text(&sc.Server, "go-sdk"), ""},
		key{"load", func(n *node, path string) { d.load(&sc.Load, n, path) }, ""},
		key{"network", func(n *node, path string) { d.network(&sc.Network, n, path) }, ""},
		key{"handlers", func(n *node, path string) { d.handlers(&sc.Handlers, n, path) }, "[{kind: cooperative, work: 100ms}]"},
		key{"cancel", func(n *node, path string) { d.cancel(&sc.Cancel, n, path) }, ""},
		key{"mischief", d.shares(&sc.Mischief, exampleMischief, LateAnswer), ""},
		key{"changes", func(n *node, path string) { d.changes(&sc.Changes, n, path) }, ""},
		key{"end", func(n *node, path string) { d.end(&sc.End, n, path) }, ""},
		key{"scheduler", d.text(&sc.Scheduler, Shuffled), ""},
		key{"limits", func(n *node, path string) { d.limits(&sc.Limits, n, path) }, ""},
		key{"require", func(n *node, path string) { d.requirements(&sc.Require, n, path) }, ""},
		key{"unphysical", d.flag(&sc.Unphysical), ""},
	)
	if sc.Limits.Settle == 0 {
		sc.Limits.Settle = sc.defaultSettle()
	}
	if _, given := d.places["network"]; !given {
		d.profile(&sc.Network, defaultProfile)
	}
}

func (d *decoder) texts(to *[]string, example string) reader {
	return func(n *node, path string) {
		*to = nil
		d.list(n, path, example, func(n *node, path string) {
			var s string
			d.text(&s, example)(n, path)
			*to = append(*to, s)
		})
	}
}

// versions reads a list of protocol versions, which are dates from then on.
func (d *decoder) versions(to *[]string, example string) reader {
	return func(n *node, path string) {
		d.texts(to, example)(n, path)
		for i, v := range *to {
			(*to)[i] = protocol.Named(v)
		}
	}
}

func (d *decoder) handlers(to *[]Handler, n *node, path string) {
	d.list(n, path, "- {kind: cooperative, work: 100ms}", func(n *node, path string) {
		h := Handler{Weight: 1}
		work := exampleExponential
		if n.says("kind", Instant) {
			work = ""
		}
		d.mapping(n, path,
			key{"kind", d.text(&h.Kind, Cooperative), Cooperative},
			key{"weight", d.integer(&h.Weight), ""},
			key{"work", d.distribution(&h.Work), work},
			key{"every", d.distribution(&h.Every), ""},
			key{"cleanup", d.distribution(&h.Cleanup), ""},
			key{"asks", func(n *node, path string) { d.question(&h.Asks, n, path) }, ""},
		)
		*to = append(*to, h)
	})
}

// says reports whether n is a mapping with that text under the key.
func (n *node) says(name, text string) bool {
	return slices.ContainsFunc(n.entries, func(e entry) bool { return e.key.text == name && e.value.text == text })
}

func (d *decoder) limits(l *Limits, n *node, path string) {
	d.mapping(n, path,
		key{"horizon", figure(d, &l.Horizon, parseDuration), ""},
		key{"settle", figure(d, &l.Settle, parseDuration), ""},
	)
}

// requirements reads a list of rules: an id, several with | between them, or a
// mapping that limits them to some versions.
func (d *decoder) requirements(to *[]Requirement, n *node, path string) {
	d.list(n, path, "[CANCEL-STOP-WORK, CANCEL-NO-RESPONSE|CANCEL-SILENCE]", func(n *node, path string) {
		var r Requirement
		if n.kind == aMapping {
			d.mapping(n, path,
				key{"any_of", d.texts(&r.AnyOf, "[CANCEL-NO-RESPONSE, CANCEL-SILENCE]"), "[CANCEL-NO-RESPONSE, CANCEL-SILENCE]"},
				key{"spec_versions", d.versions(&r.SpecVersions, "[2026-07-28]"), ""},
			)
		} else {
			var line string
			d.text(&line, "CANCEL-STOP-WORK")(n, path)
			for id := range strings.SplitSeq(line, "|") {
				r.AnyOf = append(r.AnyOf, strings.TrimSpace(id))
			}
		}
		*to = append(*to, r)
	})
}

// distribution reads a bare duration, which is a constant, or a mapping with one
// key that names the kind.
func (d *decoder) distribution(to *Distribution) reader {
	return func(n *node, path string) {
		if n.kind == aList {
			d.fault(n, path, "this is a list", "write a duration such as 20ms, or a distribution such as "+exampleUniform)
			return
		}
		if n.kind != aMapping {
			d.constant(to)(n, path)
			return
		}
		var keys []key
		for _, kind := range distributionKinds() {
			keys = append(keys, key{kind, func(n *node, path string) { d.parameters(to, kind, n, path) }, ""})
		}
		d.mapping(n, path, keys...)
		if len(n.entries) != 1 {
			d.fault(n, path, "this is no single kind of distribution", "write one, such as "+exampleUniform)
		}
	}
}

func (d *decoder) constant(to *Distribution) reader {
	return func(n *node, path string) {
		value := to.Value
		figure(d, &value, parseDuration)(n, path)
		*to = Fixed(value)
	}
}

func (d *decoder) parameters(to *Distribution, kind string, n *node, path string) {
	if kind == string(netem.Constant) {
		d.constant(to)(n, path)
		return
	}
	if kind == string(netem.Empirical) {
		d.samples(to, n, path)
		return
	}
	*to = Distribution{Distribution: netem.Distribution(kind)}
	var keys []key
	for _, p := range parameters(to, to.Distribution) {
		k := key{p.name, p.read(d), ""}
		if !p.optional {
			k.required = p.example()
		}
		keys = append(keys, k)
	}
	d.mapping(n, path, keys...)
}

// defaultProfile is the network of a file that names none.
const defaultProfile = "loopback"

// network reads a profile, or both directions, or a profile and the directions
// that differ from it.
func (d *decoder) network(to *Network, n *node, path string) {
	way, loss := "{delay: 20ms}, or name a profile", 0.0
	if profile := d.profileOf(n, path); profile != "" {
		d.profile(to, profile)
		way = ""
	}
	keys := []key{
		{"profile", func(*node, string) {}, ""}, // read above, since the directions begin with it
		{"client_to_server", func(n *node, path string) { d.link(&to.ClientToServer, n, path) }, way},
		{"server_to_client", func(n *node, path string) { d.link(&to.ServerToClient, n, path) }, way},
	}
	d.mapping(d.possible(n, path), path, d.losing(keys, &loss)...)
	d.lossy(to, loss, path)
}

// profileOf returns the profile that a network names. If it names none that
// exists, that is a fault, and the default stands in for it.
func (d *decoder) profileOf(n *node, path string) string {
	for _, e := range n.entries {
		if e.key.text != "profile" || e.value.kind == aNothing {
			continue
		}
		var names []string
		for _, p := range netem.Profiles() {
			names = append(names, p.Name)
		}
		var name string
		d.text(&name, "wan")(e.value, join(path, "profile"))
		if _, err := netem.LookupProfile(name); err == nil {
			return name
		}
		if e.value.kind == aText {
			d.fault(e.value, join(path, "profile"), quote(name)+" is no profile", choose(name, names))
		}
		return defaultProfile
	}
	return ""
}

// profile fills both directions in from a profile that exists.
func (d *decoder) profile(to *Network, name string) {
	p, err := netem.LookupProfile(name)
	if err != nil {
		panic(err) // profileOf looked
	}
	*to = Network{Profile: name, ClientToServer: linkOf(p.Up), ServerToClient: linkOf(p.Down)}
}
