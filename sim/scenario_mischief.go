package sim

import (
	"fmt"
)

const (
	exampleIDs      = "- {kind: twins, weight: 2}"
	exampleStrays   = "- {kind: unknown, share: 0.2}"
	exampleMischief = "- {kind: late-answer, share: 0.5}"
)

// ids reads the list of the kinds of request ids.
func (d *decoder) ids(to *[]IDKind, n *node, path string) {
	*to = []IDKind{}
	d.list(n, path, exampleIDs, func(n *node, path string) {
		k := IDKind{Weight: 1}
		d.mapping(n, path,
			key{"kind", d.text(&k.Kind, Twins), Twins},
			key{"weight", d.integer(&k.Weight), ""},
		)
		*to = append(*to, k)
	})
}

// shares reads a list of kinds of mischief.
func (d *decoder) shares(to *[]Share, example, kind string) reader {
	return func(n *node, path string) {
		*to = []Share{}
		d.list(n, path, example, func(n *node, path string) {
			var s Share
			d.mapping(n, path,
				key{"kind", d.text(&s.Kind, kind), kind},
				key{"share", d.share(&s.Share), "0.2"},
			)
			*to = append(*to, s)
		})
	}
}

func (c *checker) ids(kinds []IDKind) {
	if n := len(kinds); kinds != nil && (n == 0 || n > maxHandlers) {
		c.fault("load.ids", fmt.Sprintf("there are %d", n), fmt.Sprintf("list 1 to %d, such as %s", maxHandlers, exampleIDs))
	}
	for i, k := range kinds {
		path := fmt.Sprintf("load.ids[%d]", i)
		c.oneOf(path+".kind", k.Kind, IDKinds()...)
		c.integer(path+".weight", k.Weight, 1, maxWeight)
	}
}

func (c *checker) tokens(which string) {
	if which != "" {
		c.oneOf("load.tokens", which, OwnTokens, ReusedTokens, SharedTokens)
	}
}

func (c *checker) shares(at, example string, shares []Share, kinds []string) {
	if n := len(shares); shares != nil && (n == 0 || n > maxHandlers) {
		c.fault(at, fmt.Sprintf("there are %d", n), fmt.Sprintf("list 1 to %d, such as %s", maxHandlers, example))
	}
	for i, s := range shares {
		path := fmt.Sprintf("%s[%d]", at, i)
		c.oneOf(path+".kind", s.Kind, kinds...)
		c.share(path+".share", s.Share)
	}
}

func (c *checker) share(path string, share float64) {
	if !(share >= 0 && share <= 1) { // not the other way round: NaN is neither
		c.fault(path, fmt.Sprintf("%v is no share", share), shareCure)
	}
}

func (w *yamlWriter) ids(l Load) {
	if l.IDs != nil {
		w.line("  ids:")
		for _, k := range l.IDs {
			w.line("    - {kind: %s, weight: %d}", k.Kind, k.Weight)
		}
	}
	if l.Tokens != "" {
		w.line("  tokens: %s", l.Tokens)
	}
	if l.Batch > 0 {
		w.line("  batch: %s", formatShare(l.Batch))
	}
}

// shares writes a list under a key that is indented like that.
func (w *yamlWriter) shares(indent, key string, shares []Share) {
	if shares == nil {
		return
	}
	w.line("%s%s:", indent, key)
	for _, s := range shares {
		w.line("%s  - {kind: %s, share: %s}", indent, s.Kind, formatShare(s.Share))
	}
}
