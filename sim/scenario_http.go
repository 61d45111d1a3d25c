package sim

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

const (
	exampleFaults = "- {kind: hold, of: tools/call, share: 0.3, after: {uniform: {min: 1ms, max: 80ms}}}"
	exampleWhen   = "{uniform: {min: 1ms, max: 80ms}}"
)

// maxInstances and maxEvents bound what stands behind one address, and where a
// response is cut.
const (
	maxInstances = 16
	maxEvents    = 1_000
)

// transported fills in what follows from the transport, before the rest of the file is
// read: what the key is worth that names it decides what the others may say.
func (d *decoder) transported(sc *Scenario, n *node) {
	for _, e := range n.entries {
		if e.key.text == "transport" && e.value.kind == aText {
			sc.Transport = e.value.text
		}
	}
	d.transport = sc.Transport
	sc.HTTP, sc.SpecVersions = defaultHTTPPlan(sc.Transport), defaultSpecVersions(sc.Transport)
}

// defaultHTTPPlan is how the two sides are joined when nobody says.
func defaultHTTPPlan(transport string) HTTPPlan {
	if !OverHTTP(transport) {
		return HTTPPlan{}
	}
	return HTTPPlan{Protocol: HTTP1, Instances: 1}
}

// http reads how the two sides are joined, where that is by HTTP.
func (d *decoder) http(p *HTTPPlan, n *node, path string) {
	if d.transport == Stdio {
		d.fault(n, path, "over stdio there is no HTTP", "leave it out, or write transport: "+StreamableHTTP)
		return
	}
	d.mapping(n, path,
		key{"protocol", d.text(&p.Protocol, HTTP1), ""},
		key{"instances", d.integer(&p.Instances), ""},
		key{"faults", func(n *node, path string) { d.httpFaults(&p.Faults, n, path) }, ""},
	)
}

func (d *decoder) httpFaults(to *[]HTTPFault, n *node, path string) {
	*to = []HTTPFault{}
	d.list(n, path, exampleFaults, func(n *node, path string) {
		var f HTTPFault
		d.mapping(n, path,
			key{"kind", d.text(&f.Kind, Hold), Hold},
			key{"of", d.text(&f.Of, protocol.ToolsCall), ""},
			key{"share", d.share(&f.Share), "0.3"},
			key{"after", d.distribution(&f.After), ""},
			key{"events", d.integer(&f.Events), ""},
		)
		*to = append(*to, f)
	})
}

// http checks the transport, and the versions that it is run at, against each other
// and against what is said of HTTP.
func (c *checker) http(sc *Scenario) {
	c.oneOf("transport", sc.Transport, Transports()...)
	if !slices.Contains(Transports(), sc.Transport) {
		return
	}
	for i, v := range sc.SpecVersions {
		if slices.Contains(SpecVersions(), v) && !InVersion(sc.Transport, v) {
			c.fault(fmt.Sprintf("spec_versions[%d]", i), v+" has no "+sc.Transport, otherVersion(sc.Transport, v))
		}
	}
	if !OverHTTP(sc.Transport) {
		if !sc.HTTP.zero() {
			c.fault("http", "over stdio there is no HTTP", "leave it out, or write transport: "+StreamableHTTP)
		}
		return
	}
	c.oneOf("http.protocol", sc.HTTP.Protocol, HTTP1, H2C)
	c.integer("http.instances", sc.HTTP.Instances, 1, maxInstances)
	if n := len(sc.HTTP.Faults); sc.HTTP.Faults != nil && (n == 0 || n > maxHandlers) {
		c.fault("http.faults", fmt.Sprintf("there are %d", n), fmt.Sprintf("list 1 to %d, such as %s", maxHandlers, exampleFaults))
	}
	for i, f := range sc.HTTP.Faults {
		c.httpFault(fmt.Sprintf("http.faults[%d]", i), sc, f)
	}
}

// zero reports whether it is the plan of a transport that is not HTTP.
func (p HTTPPlan) zero() bool { return p.Protocol == "" && p.Instances == 0 && p.Faults == nil }

// otherVersion is the cure for a version that does not have the transport.
func otherVersion(transport, specVersion string) string {
	if transport == HTTPSSE {
		return "leave it out, since that is the transport of " + protocol.V20241105 + " alone, or write transport: " + StreamableHTTP
	}
	return "leave it out, since that came with " + protocol.V20250326 + ", or write transport: " + HTTPSSE
}

func (c *checker) httpFault(path string, sc *Scenario, f HTTPFault) {
	c.oneOf(path+".kind", f.Kind, HTTPFaultKinds()...)
	c.share(path+".share", f.Share)
	c.distribution(path+".after", f.After, maxDelay)
	c.suffers(path, sc, f)
	if !slices.Contains(HTTPFaultKinds(), f.Kind) {
		return
	}
	if f.Kind != Buffer { // which may have no end but the response's
		timed := slices.Contains([]string{SlowPost, Hold, Drop, Timeout}, f.Kind)
		c.owns(path, f.Kind, ownedFigure{"after", f.After, timed, exampleWhen})
	}
	if f.Kind == Cut {
		c.integer(path+".events", f.Events, 0, maxEvents)
	} else if f.Events != 0 {
		c.fault(path+".events", "events have no meaning for "+f.Kind, "leave them out: a "+Cut+" comes behind so many whole ones")
	}
	if f.Kind == Misroute && sc.HTTP.Instances == 1 {
		c.fault(path+".kind", "there is one server, and so no other", "write instances: 2, or leave the fault out")
	}
	if f.Kind == SlowPost && (f.Of == http.MethodGet || f.Of == http.MethodDelete) {
		c.fault(path+".of", "a "+f.Of+" has no body that could be slow", "name what is posted, such as tools/call, or write kind: "+Hold)
	}
}

// suffers checks which exchanges a fault befalls: there have to be some.
func (c *checker) suffers(path string, sc *Scenario, f HTTPFault) {
	if f.Of == "" {
		return
	}
	path += ".of"
	c.oneOf(path, f.Of, posted()...)
	legacy := func(v string) bool { return !protocol.Modern(v) }
	switch {
	case f.Of == http.MethodDelete && sc.Transport == HTTPSSE:
		c.fault(path, "a session over "+HTTPSSE+" ends without a DELETE", "write of: GET, which is its stream, or leave the fault out")
	case (f.Of == http.MethodGet || f.Of == http.MethodDelete) && !slices.ContainsFunc(sc.SpecVersions, legacy):
		c.fault(path, "from "+protocol.V20260728+" on everything is posted", "name what is, such as tools/call, or add an older version to spec_versions")
	}
}

// posted lists what a fault can be of.
func posted() []string {
	out := []string{http.MethodGet, http.MethodDelete, protocol.Initialize, protocol.Initialized, protocol.Cancelled}
	return append(append(out, Methods()...), TaskMethods()...)
}

func (w *yamlWriter) http(p HTTPPlan) {
	if p.zero() {
		return
	}
	w.line("http:")
	w.line("  protocol: %s", p.Protocol)
	w.line("  instances: %d", p.Instances)
	if p.Faults == nil {
		return
	}
	w.line("  faults:")
	for _, f := range p.Faults {
		w.line("    - {kind: %s%s}", f.Kind, f.figures())
	}
}

// figures writes what a fault says beside its kind, as flow YAML.
func (f HTTPFault) figures() string {
	out := ""
	if f.Of != "" {
		out += ", of: " + f.Of
	}
	out += ", share: " + formatShare(f.Share)
	if f.After != (Distribution{}) {
		out += ", after: " + formatDistribution(f.After)
	}
	if f.Kind == Cut {
		out += fmt.Sprintf(", events: %d", f.Events)
	}
	return out
}
