package sim

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a scenario's file. The largest scenario that makes sense is a
// thousandth of them; what they keep out is files that are slow or deep enough
// to hurt.
const (
	maxFile   = 1 << 20
	maxTokens = 20_000 // the YAML reader's time grows with their square
	maxNested = 16     // brackets
	maxColumn = 200    // of what may begin a nested block
)

// A nodeKind is what a node of the file is, as people would call it.
type nodeKind string

const (
	aMapping nodeKind = "a mapping"
	aList    nodeKind = "a list"
	aText    nodeKind = "text"
	aNumber  nodeKind = "a number"
	aBool    nodeKind = "true or false"
	aNothing nodeKind = "empty"
)

// A node is one value of a YAML file, without anchors, tags and other things
// that a scenario has no use for.
type node struct {
	kind         nodeKind
	line, column int
	text         string // of a scalar, as written, without quotes
	entries      []entry
	items        []*node
}

// shown is what a message calls the node: a scalar by its text, anything else by
// what it is.
func (n *node) shown() string {
	if n.kind == aMapping || n.kind == aList || n.kind == aNothing {
		return "this (" + string(n.kind) + ")"
	}
	return quote(n.text)
}

// An entry is one key of a mapping and its value.
type entry struct{ key, value *node }

// A format is what the complaints about a file say of how it should look.
type format struct {
	empty  string // the cure for an empty file
	syntax string // the cure for what is no YAML
	second string // the cure for a second document
}

func scenarioFormat() format {
	return format{
		empty:  "begin with `mcpsim show scenario cancel-storm`",
		syntax: "compare with `mcpsim show scenario cancel-storm`",
		second: "write one scenario a file, without ---",
	}
}

// readTree reads one YAML document. It never panics, whatever data holds, and
// takes time and memory in proportion to the bounds above.
func readTree(data []byte, form format) (root *node, faults []Fault) {
	defer func() {
		if recover() != nil { // the YAML reader's mistake, but the file is to blame for it
			root, faults = nil, []Fault{{Line: 1, Column: 1, Problem: "the YAML reader gave up on this file",
				Cure: "look for unusual YAML, and write it in a plainer way"}}
		}
	}()
	if f := unreadable(data); f != nil {
		return nil, []Fault{*f}
	}
	tokens := lexer.Tokenize(string(data))
	if faults := unwanted(tokens); len(faults) > 0 {
		return nil, faults
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, []Fault{syntaxFault(err, form.syntax)}
	}
	return document(file, form)
}

// unreadable reports what makes a file no text of a sensible size.
func unreadable(data []byte) *Fault {
	if len(data) > maxFile {
		return &Fault{Line: 1, Column: 1, Problem: fmt.Sprintf("the file has %d bytes, and may have %d", len(data), maxFile),
			Cure: "a scenario takes a few hundred; is this the right file?"}
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == '\ufeff' {
			line := 1 + bytes.Count(data[:i], []byte("\n"))
			column := 1 + utf8.RuneCount(data[bytes.LastIndexByte(data[:i], '\n')+1:i])
			return &Fault{Line: line, Column: column, Problem: fmt.Sprintf("byte 0x%02x is not plain text", data[i]),
				Cure: "save the file as UTF-8 without a byte order mark, and without control characters"}
		}
		i += size
	}
	return nil
}

// unwanted reports tokens that have no place in a scenario, and stops at the
// bounds. It runs before the parser, whose recursion follows the nesting.
func unwanted(tokens token.Tokens) []Fault {
	var faults []Fault
	open := 0
	for i, t := range tokens {
		problem, cure := "", ""
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			problem, cure = "anchors, aliases and merge keys are not part of the format", "write the value out"
		case token.TagType:
			problem, cure = "tags are not part of the format", "leave it out, and quote the text if it begins with !"
		case token.DirectiveType:
			problem, cure = "directives are not part of the format", "leave it out"
		case token.MappingKeyType:
			problem, cure = "keys that are marked with ? are not part of the format", "write key: value"
		case token.SequenceStartType, token.MappingStartType:
			open++
		case token.SequenceEndType, token.MappingEndType:
			open--
		}
		if problem != "" {
			faults = append(faults, Fault{Line: t.Position.Line, Column: t.Position.Column, Problem: problem, Cure: cure})
		}
		if tooDeep := open > maxNested || open == 0 && t.Position.Column > maxColumn && beginsBlock(tokens, i); tooDeep || i > maxTokens {
			return append(faults, Fault{Line: t.Position.Line, Column: t.Position.Column,
				Problem: "the file is nested too deeply, or too long", Cure: "a scenario nests five deep; is this the right file?"})
		}
	}
	return faults
}

// beginsBlock reports whether the token is a list's dash, or the first of its
// line: what can begin one more level of nesting without a bracket.
func beginsBlock(tokens token.Tokens, i int) bool {
	t := tokens[i]
	if t.Type == token.CommentType {
		return false
	}
	return t.Type == token.SequenceEntryType || i == 0 || tokens[i-1].Position.Line != t.Position.Line
}

// syntaxFault takes the position out of the parser's error.
func syntaxFault(err error, cure string) Fault {
	var at interface {
		error
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &at) || at.GetToken() == nil || at.GetToken().Position == nil {
		return Fault{Line: 1, Column: 1, Problem: "this is not YAML: " + quote(err.Error()), Cure: cure}
	}
	p := at.GetToken().Position
	return Fault{Line: max(p.Line, 1), Column: max(p.Column, 1), Problem: "this is not YAML: " + at.GetMessage(), Cure: cure}
}

// document turns the parser's result into a node.
func document(file *ast.File, form format) (*node, []Fault) {
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil {
			bodies = append(bodies, doc.Body)
		}
	}
	if len(bodies) == 0 {
		return nil, []Fault{{Line: 1, Column: 1, Problem: "the file is empty", Cure: form.empty}}
	}
	if len(bodies) > 1 {
		second := convert(bodies[1])
		return nil, []Fault{{Line: second.line, Column: second.column, Problem: "a second document begins here", Cure: form.second}}
	}
	return convert(bodies[0]), nil
}

func convert(n ast.Node) *node {
	out := &node{kind: aNothing}
	if n == nil {
		return out
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		out.line, out.column, out.text = t.Position.Line, t.Position.Column, t.Value
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		out.mapping(n.Values, n.IsFlowStyle)
	case *ast.MappingValueNode:
		out.mapping([]*ast.MappingValueNode{n}, n.IsFlowStyle)
	case *ast.SequenceNode:
		out.kind = aList
		for _, item := range n.Values {
			out.items = append(out.items, convert(item))
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		out.kind = aNumber
	case *ast.BoolNode:
		out.kind = aBool
	case *ast.StringNode:
		out.kind, out.text = aText, n.Value
	case *ast.LiteralNode:
		out.kind, out.text = aText, n.Value.Value
	case *ast.NullNode:
	default:
		panic(fmt.Sprintf("unwanted let a %s through", n.Type()))
	}
	return out
}

func (n *node) mapping(values []*ast.MappingValueNode, flow bool) {
	n.kind = aMapping
	for _, v := range values {
		n.entries = append(n.entries, entry{convert(v.Key), convert(v.Value)})
	}
	if len(n.entries) > 0 && !flow { // the token of a block mapping is its first colon
		n.line, n.column = n.entries[0].key.line, n.entries[0].key.column
	}
}
