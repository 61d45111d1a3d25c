package oracle

import (
	"cmp"
	"slices"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A Transport carries the messages between the two sides.
type Transport string

// The transports of the specification. Stdio stands for any ordered stream of
// bytes, pipes in memory too.
const (
	Stdio          Transport = "stdio"
	HTTPSSE        Transport = "http-sse"        // HTTP+SSE, of the first version alone
	StreamableHTTP Transport = "streamable-http" // from 2025-03-26 on
)

// Transports lists them all.
func Transports() []Transport { return []Transport{Stdio, HTTPSSE, StreamableHTTP} }

// In reports whether a version of the specification has the transport.
func (t Transport) In(specVersion string) bool {
	switch t {
	case HTTPSSE:
		return specVersion == firstVersion
	case StreamableHTTP:
		return specVersion >= firstHTTP
	}
	return true
}

// firstHTTP is the version that brought Streamable HTTP.
const firstHTTP = "2025-03-26"

// A Binding is how strongly a rule binds over one transport at some versions.
type Binding struct {
	Over        Transport
	From, Until string // versions; Until empty: to this day
	Level       Level
}

func (b Binding) in(t Transport, specVersion string) bool {
	return b.Over == t && b.From <= specVersion && (b.Until == "" || specVersion <= b.Until)
}

// everywhere is a rule that binds over HTTP, at every version, as it does over
// stdio.
func everywhere(l Level) []Binding {
	return slices.Concat(overSSE(l), overStreamable(firstHTTP, "", l))
}

// overSSE is a rule of the transport of the first version.
func overSSE(l Level) []Binding { return []Binding{{HTTPSSE, firstVersion, firstVersion, l}} }

// overStreamable is a rule of Streamable HTTP, from a version until another; empty: to
// this day.
func overStreamable(from, until string, l Level) []Binding {
	return []Binding{{StreamableHTTP, from, until, l}}
}

// LevelOver is how strongly the rule binds at a protocol version over a
// transport. It is empty where the version has no such rule, or not the
// transport.
func (r Rule) LevelOver(t Transport, specVersion string) Level {
	if t == Stdio && r.level != nil {
		return r.level(specVersion)
	}
	for _, b := range r.Elsewhere {
		if b.in(t, specVersion) {
			return b.Level
		}
	}
	return ""
}

// Judged reports whether an oracle judges the rule over a transport.
func (r Rule) Judged(t Transport) bool {
	if !r.judged {
		return false
	}
	if t == Stdio {
		return r.level != nil
	}
	return slices.ContainsFunc(r.Elsewhere, func(b Binding) bool { return b.Over == t })
}

// transportOf is the transport of a history, stdio where it names none.
func transportOf(h history.Header) Transport {
	return cmp.Or(Transport(h.Transport), Stdio)
}

// A leveller knows how strongly rules bind under the conditions of a history. Over
// stdio the oracle itself says so, for the sake of speed; over HTTP the catalogue does.
type leveller struct {
	over    Transport
	version string
	binding map[string]Level // over HTTP: of the rules that bind there at some version, the level at this one
}

func newLeveller(h history.Header) leveller {
	l := leveller{over: transportOf(h), version: h.SpecVersion}
	if l.over == Stdio {
		return l
	}
	rules := described()
	l.binding = make(map[string]Level, len(rules))
	for i := range rules {
		for _, b := range rules[i].Elsewhere {
			if b.Over == l.over {
				l.binding[rules[i].ID] = rules[i].LevelOver(l.over, l.version)
			}
		}
	}
	return l
}

// knows reports whether an oracle judges over the transport, at any version.
func (l leveller) knows(c check) bool {
	if l.over == Stdio {
		return c.level != nil
	}
	_, binds := l.binding[c.rule]
	return binds
}

// level is the level of the oracle's rule.
func (l leveller) level(c check) Level {
	if l.over == Stdio {
		return c.level(l.version)
	}
	return l.binding[c.rule]
}
