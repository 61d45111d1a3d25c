package sim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/netem"
)

// Marshal writes the scenario in its resolved form: as YAML, with every default
// spelt out and without comments. [Parse] reads it back as an equal Scenario, and
// the same Scenario always gives the same bytes. The scenario must be valid.
func (sc *Scenario) Marshal() []byte {
	var w yamlWriter
	w.line("name: %s", strconv.Quote(sc.Name)) // or 7 would be a number
	w.line("summary: %s", strconv.Quote(sc.Summary))
	w.line("transport: %s", sc.Transport)
	w.http(sc.HTTP)
	w.line("spec_versions: [%s]", strings.Join(sc.SpecVersions, ", "))
	w.line("client: %s", strconv.Quote(sc.Client))
	w.line("server: %s", strconv.Quote(sc.Server))
	w.load(sc.Load)
	w.network(sc.Network)
	w.handlers(sc.Handlers)
	w.cancel(sc.Cancel)
	w.shares("", "mischief", sc.Mischief)
	w.changes(sc.Changes)
	w.end(sc.End)
	w.line("scheduler: %s", sc.Scheduler)
	w.line("limits:")
	w.line("  horizon: %s", formatDuration(sc.Limits.Horizon))
	w.line("  settle: %s", formatDuration(sc.Limits.Settle))
	w.requirements(sc.Require)
	w.line("unphysical: %t", sc.Unphysical)
	return []byte(w.String())
}

type yamlWriter struct{ strings.Builder }

func (w *yamlWriter) line(format string, args ...any) {
	fmt.Fprintf(w, format+"\n", args...)
}

func (w *yamlWriter) network(n Network) {
	w.line("network:")
	if n.Profile != "" {
		w.line("  profile: %s", n.Profile)
	}
	w.link("client_to_server", n.ClientToServer)
	w.link("server_to_client", n.ServerToClient)
}

func (w *yamlWriter) handlers(handlers []Handler) {
	w.line("handlers:")
	for _, h := range handlers {
		w.line("  - kind: %s", h.Kind)
		w.line("    weight: %d", h.Weight)
		if h.Kind != Instant {
			w.line("    work: %s", formatDistribution(h.Work))
		}
		if h.Every != (Distribution{}) {
			w.line("    every: %s", formatDistribution(h.Every))
		}
		if h.Cleanup != (Distribution{}) {
			w.line("    cleanup: %s", formatDistribution(h.Cleanup))
		}
		if h.Asks != (Question{}) {
			w.line("    asks: %s", h.Asks.format())
		}
	}
}

func (w *yamlWriter) requirements(all []Requirement) {
	if len(all) == 0 {
		w.line("require: []")
		return
	}
	w.line("require:")
	for _, r := range all {
		if len(r.SpecVersions) == 0 {
			w.line("  - %s", r)
			continue
		}
		w.line("  - any_of: [%s]", strings.Join(r.AnyOf, ", "))
		w.line("    spec_versions: [%s]", strings.Join(r.SpecVersions, ", "))
	}
}

// String returns the rules with | between them.
func (r Requirement) String() string { return strings.Join(r.AnyOf, "|") }

// formatDistribution writes a distribution as flow YAML, without the figures that
// were left out.
func formatDistribution(d Distribution) string {
	if d.Distribution == netem.None || d.Distribution == netem.Constant {
		return "{constant: " + formatDuration(d.Value) + "}"
	}
	var figures []string
	if d.Distribution == netem.Empirical {
		for _, sample := range *d.Samples {
			figures = append(figures, formatDuration(sample))
		}
		return "{samples: [" + strings.Join(figures, ", ") + "]}"
	}
	for _, p := range parameters(&d, d.Distribution) {
		if p.number != nil {
			figures = append(figures, p.name+": "+formatDecimal(*p.number))
		} else if !p.optional || *p.value != 0 {
			figures = append(figures, p.name+": "+formatDuration(*p.value))
		}
	}
	return fmt.Sprintf("{%s: {%s}}", d.Distribution, strings.Join(figures, ", "))
}

// formatDecimal writes a number so that it reads back as the same, without an
// exponent.
func formatDecimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
