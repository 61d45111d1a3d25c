package sim

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpsim/mcpsim/netem"
)

// Parse reads a scenario from YAML and fills in every default. name stands for
// the file in errors. Any error is a [*ScenarioError] with everything that is
// wrong with the file. Whether the targets and rules that the file names exist is
// not checked; [Vocabulary.Parse] does that too.
//
// The format is a strict subset of YAML: one document, no anchors, no tags, no
// key twice and none that is not known, at most a mebibyte. Durations, rates and
// sizes are written with their unit.
func Parse(name string, data []byte) (*Scenario, error) { return Vocabulary{}.Parse(name, data) }

// A Vocabulary is what a scenario may name. A nil list leaves its kind of name
// unchecked.
type Vocabulary struct {
	Targets []string // without version
	Rules   []string // ids
}

// Parse is [Parse] with the names checked as well.
func (v Vocabulary) Parse(name string, data []byte) (*Scenario, error) {
	root, faults := readTree(data, scenarioFormat())
	if root == nil {
		return nil, faulty(name, faults)
	}
	d := &decoder{places: map[string]*node{}}
	sc := defaultScenario()
	d.scenario(sc, root)
	if root.kind != aMapping {
		return nil, faulty(name, d.faults)
	}
	c := checker{faults: d.faults, place: d.place, known: d.known, Vocabulary: v}
	c.scenario(sc)
	if err := faulty(name, c.faults); err != nil {
		return nil, err
	}
	return sc, nil
}

// A decoder reads a tree into a scenario and goes on after a fault. What was at
// fault keeps its default.
type decoder struct {
	faults    []Fault
	places    map[string]*node // by path
	transport string           // the file's, which decides what else it may say
}

func (d *decoder) fault(n *node, path, problem, cure string) {
	d.faults = append(d.faults, Fault{Line: n.line, Column: n.column, Path: path, Problem: problem, Cure: cure})
}

// place returns the position of the value at path, or of the innermost value
// around it if the file leaves it out.
func (d *decoder) place(path string) (line, column int) {
	for {
		if n, ok := d.places[path]; ok {
			return n.line, n.column
		}
		if path == "" {
			return 1, 1
		}
		path = parent(path)
	}
}

// known reports whether something at path, around it or within it is at fault.
func (d *decoder) known(path string) bool {
	for _, f := range d.faults {
		if within(f.Path, path) || f.Path != "" && within(path, f.Path) {
			return true
		}
	}
	return false
}

// within reports whether inner is outer or lies in it.
func within(inner, outer string) bool {
	rest, ok := strings.CutPrefix(inner, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func parent(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// A reader reads one value into the scenario.
type reader func(n *node, path string)

// A key is one that a mapping may have.
type key struct {
	name     string
	read     reader
	required string // an example, if the key has to be there
}

// mapping reads the keys of n, in the order of the file.
func (d *decoder) mapping(n *node, path string, keys ...key) {
	d.places[path] = n
	if n.kind != aMapping {
		d.fault(n, path, "this is "+string(n.kind), "write a mapping with the keys "+oneOf(names(keys)))
		return
	}
	seen := map[string]bool{}
	for _, e := range n.entries {
		at := join(path, e.key.text)
		k := find(keys, e.key.text)
		switch {
		case e.key.kind == aMapping || e.key.kind == aList:
			d.fault(e.key, path, "this is no key", "write one of "+oneOf(names(keys)))
		case seen[e.key.text]:
			d.fault(e.key, at, "the key is there twice", "leave one out")
		case k == nil:
			d.fault(e.key, at, "there is no such key here", choose(e.key.text, names(keys)))
		case e.value.kind == aNothing:
			d.fault(e.key, at, "this is empty", "give it a value, or leave the key out")
		default:
			d.places[at] = e.value
			k.read(e.value, at)
		}
		seen[e.key.text] = true
	}
	for _, k := range keys {
		if k.required != "" && !seen[k.name] {
			d.fault(n, join(path, k.name), "this is missing", "write "+k.name+": "+k.required)
		}
	}
}

func find(keys []key, name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

func names(keys []key) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.name
	}
	return out
}

// list reads each item of a list.
func (d *decoder) list(n *node, path, example string, read reader) {
	if n.kind != aList {
		d.fault(n, path, "this is "+string(n.kind), "write a list, such as "+example)
		return
	}
	for i, item := range n.items {
		at := fmt.Sprintf("%s[%d]", path, i)
		d.places[at] = item
		read(item, at) // an empty one too: read says so, and the items keep their numbers
	}
}

// text reads words and lines. A version such as 2026-07-28 is text.
func (d *decoder) text(to *string, example string) reader {
	return func(n *node, path string) {
		if n.kind != aText {
			d.fault(n, path, "this is "+string(n.kind), "write text, such as "+example)
			return
		}
		*to = n.text
	}
}

func (d *decoder) flag(to *bool) reader {
	return func(n *node, path string) {
		if n.kind != aBool {
			d.fault(n, path, "this is "+string(n.kind), "write true or false")
			return
		}
		*to = n.text == "true" || n.text == "True" || n.text == "TRUE"
	}
}

func (d *decoder) integer(to *int) reader {
	return func(n *node, path string) {
		value, err := strconv.Atoi(n.text)
		if n.kind != aNumber || err != nil || strconv.Itoa(value) != n.text {
			d.fault(n, path, n.shown()+" is no whole number, or far too large", "write decimal digits without quotes, such as 4")
			return
		}
		*to = value
	}
}

func (d *decoder) share(to *float64) reader {
	return d.decimalOf(to, "share", shareCure)
}

func (d *decoder) decimal(to *float64, cure string) reader {
	return d.decimalOf(to, "number", cure)
}

func (d *decoder) decimalOf(to *float64, what, cure string) reader {
	return func(n *node, path string) {
		value, err := strconv.ParseFloat(n.text, 64)
		if n.kind != aNumber || err != nil || !plainNumber.MatchString(n.text) {
			d.fault(n, path, n.shown()+" is no "+what, cure)
			return
		}
		*to = value
	}
}

const shareCure = "write a number from 0 (none) to 1 (every call), without quotes, such as 0.725"

// figure reads a number with its unit by parse.
func figure[T any](d *decoder, to *T, parse func(string) (T, complaint)) reader {
	return func(n *node, path string) {
		if n.kind == aMapping || n.kind == aList {
			_, why := parse("")
			d.fault(n, path, "this is "+string(n.kind), why.cure)
			return
		}
		value, why := parse(n.text)
		if why != (complaint{}) {
			d.fault(n, path, why.problem, why.cure)
			return
		}
		*to = value
	}
}

// possible reports the keys of n that ask for what the transport cannot do, and
// returns n without them.
func (d *decoder) possible(n *node, path string) *node {
	rest := *n
	rest.entries = nil
	for _, e := range n.entries {
		if why := whyImpossible(d.transport, e.key.text); why != "" {
			d.fault(e.key, join(path, e.key.text), "impossible on "+why, "leave it out (unphysical: true does not permit it in this version)")
			continue
		}
		rest.entries = append(rest.entries, e)
	}
	return &rest
}

// whyImpossible names the transport and says why it cannot have the fault; empty: it
// can, or there is no such fault.
func whyImpossible(transport, fault string) string {
	switch {
	case transport == Stdio || fault == "corrupt":
		return onStream(transport, fault)
	case fault == "reorder":
		return transport + ": a connection keeps its order; requests are what overtakes each other, so hold some of them back, by http.faults"
	case fault == "duplicate":
		return transport + ": a connection hands over each byte once"
	}
	return ""
}

func onStream(transport, fault string) string {
	for _, impossible := range netem.ImpossibleOnStream() {
		if impossible.Fault == fault {
			return transport + ": " + impossible.Why
		}
	}
	return ""
}
