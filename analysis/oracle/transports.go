package oracle

import "slices"

// A Transport carries the messages between the two sides.
type Transport string

// The transports of the specification. Stdio stands for any ordered stream of
// bytes, pipes in memory too.
const (
	Stdio          Transport = "stdio"
	HTTPSSE        Transport = "http-sse"        // HTTP+SSE, of the first version alone
	StreamableHTTP Transport = "streamable-http" // from 2025-03-26 on
)

// Transports lists them all, the one that mcpsim runs first.
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
func (r Rule) Judged(t Transport) bool { return t == Stdio && r.level != nil }
