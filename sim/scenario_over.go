package sim

import "slices"

// Over returns the scenario as it is played over another transport: at those of its
// protocol versions that have it, or where none does at those that a file gets which
// leaves them out. The error is a [*ScenarioError] with what the scenario asks for and
// that transport cannot have.
func (sc *Scenario) Over(transport string) (*Scenario, error) {
	out := *sc
	out.Transport = transport
	switch {
	case OverHTTP(transport) && sc.HTTP.zero():
		out.HTTP = defaultHTTPPlan(transport)
	case transport == Stdio && len(sc.HTTP.Faults) == 0 && sc.HTTP.Instances < 2:
		out.HTTP = HTTPPlan{}
	}
	out.SpecVersions = slices.DeleteFunc(slices.Clone(sc.SpecVersions), func(v string) bool { return !InVersion(transport, v) })
	if len(out.SpecVersions) == 0 {
		out.SpecVersions = defaultSpecVersions(transport)
	}
	out.Require = nil
	for _, r := range sc.Require {
		if r, bound := r.among(out.SpecVersions); bound {
			out.Require = append(out.Require, r)
		}
	}
	if err := out.Validate(); err != nil {
		return nil, err
	}
	return &out, nil
}

// among returns the requirement of those of its versions that are listed, and whether
// there are any.
func (r Requirement) among(specVersions []string) (Requirement, bool) {
	if len(r.SpecVersions) == 0 {
		return r, true
	}
	r.SpecVersions = slices.DeleteFunc(slices.Clone(r.SpecVersions), func(v string) bool { return !slices.Contains(specVersions, v) })
	return r, len(r.SpecVersions) > 0
}
