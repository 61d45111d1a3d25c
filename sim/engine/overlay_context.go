package engine

// contextPatches give the children of a context an order. They are in a map whose
// keys are pointers, and a map of more than eight goes by the hash of its keys:
// who hears first that everything ends would hang on where the heap lies.
func contextPatches() []patch {
	const file = "context/context.go"
	return []patch{{
		file: file, why: "the children's order of birth",
		old: "\tchildren map[canceler]struct{} // set to nil by the first cancel call\n",
		new: "\tchildren map[canceler]int // set to nil by the first cancel call; the number of each child\n\tbirths   int\n\tcrowded  bool // there have been so many that the map goes by hashes\n",
	}, {
		file: file, why: "likewise",
		old: "\t\t\t\tp.children = make(map[canceler]struct{})\n",
		new: "\t\t\t\tp.children = make(map[canceler]int)\n",
	}, {
		file: file, why: "likewise",
		old: "\t\t\tp.children[child] = struct{}{}\n",
		new: "\t\t\tp.births++\n\t\t\tp.children[child] = p.births\n\t\t\tp.crowded = p.crowded || len(p.children) > 8\n",
	}, {
		file: file, why: "the order in which children are cancelled",
		old: "\tfor child := range c.children {\n",
		new: "\tfor _, child := range c.mcpsimOrder() {\n",
	}}
}

// order is added to context.go. A few children come in the order of the map,
// which the seed decides; many in that of their birth.
const order = `
func (c *cancelCtx) mcpsimOrder() []canceler {
	born := make([]canceler, c.births+1)
	all := make([]canceler, 0, len(c.children))
	for child, n := range c.children {
		all = append(all, child)
		born[n] = child
	}
	if !c.crowded {
		return all
	}
	all = all[:0]
	for _, child := range born {
		if child != nil {
			all = append(all, child)
		}
	}
	return all
}
`
