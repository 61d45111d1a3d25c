package oracle

import (
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// A Rule is what one oracle judges, in words. Reports print it beside a verdict.
// A rule that no oracle judges yet is laid out all the same, see [Catalogue].
type Rule struct {
	ID        string
	Statement string       // what it asks for, in one sentence
	Side      history.Side // who is bound; World: both sides
	Property  Property
	Clauses   []Clause    // what the specification says; empty: no clause, but every user counts on it
	Convicts  string      // what must have been observed
	Exempt    []Exemption // what looks like a breach and is none
	Notes     []string    // where the specification leaves room, and how the oracle decides; "Q1" refers to [Notes]
	Implied   string      // the stricter rule under which the same act is reported, or some of the acts are
	Elsewhere []Binding   // how it binds over HTTP; of a rule without an oracle, over stdio, too
	Awaits    string      // of a rule without an oracle: what has to be there first, "Streamable HTTP"
	Never     string      // of a rule that never convicts: why

	level  func(specVersion string) Level // over stdio; nil: it does not bind there, or has no oracle
	judged bool                           // an oracle judges it
}

// A Property is the logical form of a rule. A breach of a safety rule shows in a
// finite history; a liveness rule needs the end of waiting: the world's limit, or
// the closing of the session.
type Property string

// The two forms.
const (
	Safety   Property = "safety"
	Liveness Property = "liveness"
)

// A Clause is a place in the specification.
type Clause struct {
	From, Until string    // versions that have it; Until empty: to this day
	Over        Transport // the one that it speaks of; empty: any
	Page        string    // below the version, "basic/utilities/cancellation"; with a slash before it, of the whole site
	Quote       string
	Level       Level
}

// URL is where the clause can be read in a version of the specification.
func (c Clause) URL(specVersion string) string {
	if strings.HasPrefix(c.Page, "/") {
		return "https://modelcontextprotocol.io" + c.Page
	}
	return "https://modelcontextprotocol.io/specification/" + specVersion + "/" + c.Page
}

// In reports whether the version has the clause.
func (c Clause) In(specVersion string) bool {
	return c.From <= specVersion && (c.Until == "" || specVersion <= c.Until)
}

// An Exemption is something that is not counted. Why is the word under which
// [Uncounted] reports it; empty where it leaves no trace. Asks is the exemption as
// a question about one violation, which [Rule.Objections] answers.
type Exemption struct {
	Race string // number of the benign race, "R1"; empty: it is no race
	Why  string
	What string
	Asks string // empty: there is nothing to ask about one violation
	// OfLong marks what can be of no account but in a history of very many events.
	OfLong bool
	// OfHTTP marks what can be of no account but over HTTP.
	OfHTTP bool

	answer func(d *defence) string
}

// Level is how strongly the rule binds at a protocol version over stdio. It is
// empty where the version has no such rule.
func (r Rule) Level(specVersion string) Level { return r.LevelOver(Stdio, specVersion) }

// ClausesOf returns the rule's clauses at a protocol version over stdio.
func (r Rule) ClausesOf(specVersion string) []Clause { return r.ClausesOver(Stdio, specVersion) }

// ClausesOver returns the rule's clauses at a protocol version over a transport.
func (r Rule) ClausesOver(t Transport, specVersion string) []Clause {
	var out []Clause
	for _, c := range r.Clauses {
		if c.In(specVersion) && (c.Over == "" || c.Over == t) {
			out = append(out, c)
		}
	}
	return out
}

// Catalogue returns all rules: those that are judged, as [Rules] has them, then
// those that are laid out and not judged yet, and those that never convict.
func Catalogue() []Rule { return slices.Concat(Rules(), awaitingRules(), permissions()) }

// FindAny returns the rule with this ID, judged or not.
func FindAny(id string) (Rule, bool) { return find(Catalogue(), id) }

// Rules returns the rules that are judged, in the order in which they are reported.
func Rules() []Rule {
	rules := described()
	all := checks()
	out := make([]Rule, len(all))
	for i, c := range all {
		j := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == c.rule })
		if j < 0 {
			panic("oracle: rule " + c.rule + " is not described")
		}
		out[i] = rules[j]
		out[i].Side, out[i].level, out[i].judged = c.side, c.level, true
		out[i].Exempt = append(slices.Clip(out[i].Exempt), tooLate(c.rule)...)
	}
	for _, p := range implications() {
		i := slices.IndexFunc(out, func(r Rule) bool { return r.ID == p.rule })
		if out[i].Implied != "" {
			out[i].Implied = " or " + out[i].Implied
		}
		out[i].Implied = p.stricter + out[i].Implied
	}
	return out
}

// described are the judged rules as they are described, topic by topic.
func described() []Rule {
	return slices.Concat(receiverRules(), senderRules(), sharedRules(), endRules(), qualityRules(), callRules(),
		aimRules(), baseRules(), progressRules(), partingRules(), heldRules(), nestedRules(), strayRules(), taskRules(), listenRules(), httpRules())
}

// FindRule returns the rule with this ID, if it is judged.
func FindRule(id string) (Rule, bool) { return find(Rules(), id) }

func find(rules []Rule, id string) (Rule, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// The eras of the protocol and where each has its page on cancellation.
const (
	firstVersion = "2024-11-05"
	lastLegacy   = "2025-11-25"
	modernEra    = "2026-07-28"

	legacyPage = "basic/utilities/cancellation"
	modernPage = "basic/patterns/cancellation"
	stdioPage  = "basic/transports/stdio"
	httpPage   = "basic/transports/streamable-http"
	legacyHTTP = "basic/transports"

	// What both pages allow a receiver, a list.
	mayIgnore = "MAY ignore cancellation notifications if: The referenced request is unknown; Processing has already completed; The request cannot be cancelled"
)

// onBothPages is a clause that both eras have in the same words.
func onBothPages(quote string, level Level) []Clause {
	return []Clause{
		{From: firstVersion, Until: lastLegacy, Page: legacyPage, Quote: quote, Level: level},
		{From: modernEra, Page: modernPage, Quote: quote, Level: level},
	}
}
