package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// bound names who a rule is for.
func bound(side history.Side) string {
	if side == history.World {
		return "both"
	}
	return string(side)
}

// The columns of the list of rules.
const (
	ruleColumn  = 24
	sideColumn  = 8
	stdioColumn = 7
	sseColumn   = 5
	httpColumn  = 6
)

// listRules prints the catalogue: what is judged, what is laid out, and what never
// convicts, each with how strongly it binds at every version over every transport.
func listRules(out io.Writer) error {
	var b strings.Builder
	b.WriteString(legend())
	for _, g := range ruleGroups() {
		fmt.Fprintf(&b, "\n%s\n", g.title)
		for _, r := range g.rules {
			head := padded(r.ID, ruleColumn) + padded(bound(r.Side), sideColumn) +
				padded(marks(r, oracle.Stdio), stdioColumn) + padded(marks(r, oracle.HTTPSSE), sseColumn) +
				padded(marks(r, oracle.StreamableHTTP), httpColumn)
			b.WriteString(wrapped(head, r.Statement))
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// legend says what the marks mean and which version each is of.
func legend() string {
	versions := protocol.Versions()
	overHTTP := slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return !oracle.StreamableHTTP.In(v) })
	head := padded("RULE", ruleColumn) + padded("BINDS", sideColumn) + padded("stdio", stdioColumn) +
		padded("sse", sseColumn) + padded("http", httpColumn) + "WHAT IT ASKS FOR\n"
	return wrapped("stdio  one mark a version: ", strings.Join(versions, ", ")) +
		wrapped("sse    HTTP+SSE, of ", versions[0]+" alone") +
		wrapped("http   Streamable HTTP: ", strings.Join(overHTTP, ", ")) +
		wrapped("marks  ", "M MUST or MUST NOT · S SHOULD or SHOULD NOT · Q QUALITY: no clause, but every user counts on it · "+
			"m MAY · i INFO: told, never held against anybody · - the version has no such rule") +
		"mcpsim explain RULE says what convicts and what does not.\n\n" + head
}

// A ruleGroup is the rules that are listed under one title.
type ruleGroup struct {
	title string
	rules []oracle.Rule
}

// ruleGroups are the judged rules, by where, those that await something, by what it is,
// and those that never convict.
func ruleGroups() []ruleGroup {
	var out []ruleGroup
	for _, r := range oracle.Catalogue() {
		title := "judged, over stdio and HTTP"
		switch {
		case r.Judged(oracle.Stdio) && len(judgedOver(r)) == 1:
			title = "judged, over stdio alone"
		case len(judgedOver(r)) > 0 && !r.Judged(oracle.Stdio):
			title = "judged, over HTTP alone"
		case r.Awaits != "":
			title = "laid out, not judged yet: needs " + r.Awaits
		case r.Never != "":
			title = "never convict"
		}
		i := slices.IndexFunc(out, func(g ruleGroup) bool { return g.title == title })
		if i < 0 {
			i = len(out)
			out = append(out, ruleGroup{title: title})
		}
		out[i].rules = append(out[i].rules, r)
	}
	return out
}

// marks has one letter for each version that has the transport.
func marks(r oracle.Rule, t oracle.Transport) string {
	var b strings.Builder
	for _, v := range protocol.Versions() {
		if t.In(v) {
			b.WriteString(mark(r.LevelOver(t, v)))
		}
	}
	return b.String()
}

func mark(l oracle.Level) string {
	switch l {
	case oracle.Must, oracle.MustNot:
		return "M"
	case oracle.Should, oracle.ShouldNot:
		return "S"
	case oracle.Quality:
		return "Q"
	case oracle.May:
		return "m"
	case oracle.Info:
		return "i"
	}
	return "-"
}
