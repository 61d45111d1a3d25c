package engine

// syncMapPatches give the entries of a sync.Map an order. An SDK keeps its sessions in
// one, by themselves: in what order it tells them something would hang on where the
// heap lies.
func syncMapPatches() []patch {
	const file = "internal/sync/hashtriemap.go"
	return []patch{{
		file: file, why: "the entries' order of birth",
		old: "\toverflow atomic.Pointer[entry[K, V]] // Overflow for hash collisions.\n",
		new: "\toverflow atomic.Pointer[entry[K, V]] // Overflow for hash collisions.\n\tbirth    uint64\n",
	}, {
		file: file, why: "likewise",
		old: "\t\tnode:  node[K, V]{isEntry: true},\n",
		new: "\t\tnode:  node[K, V]{isEntry: true},\n\t\tbirth: mcpsimBirths.Add(1),\n",
	}, {
		file: file, why: "the order in which the entries are visited",
		old: "\t\t\tif !ht.iter(n.indirect(), yield) {\n\t\t\t\treturn false\n\t\t\t}\n",
		new: "\t\t\tall = ht.mcpsimEntries(n.indirect(), all)\n",
	}, {
		file: file, why: "likewise",
		old: "func (ht *HashTrieMap[K, V]) iter(i *indirect[K, V], yield func(key K, value V) bool) bool {\n",
		new: visit,
	}, {
		file: file, why: "likewise",
		old: "\t\t\tif !yield(e.key, e.value) {\n\t\t\t\treturn false\n\t\t\t}\n\t\t\te = e.overflow.Load()\n\t\t}\n\t}\n\treturn true\n",
		new: "\t\t\tall = append(all, e)\n\t\t\te = e.overflow.Load()\n\t\t}\n\t}\n\treturn all\n",
	}}
}

// visit stands in the place of the function that visits the entries in the order of
// their hashes. What is left of that collects them.
const visit = `var mcpsimBirths atomic.Uint64

func (ht *HashTrieMap[K, V]) iter(i *indirect[K, V], yield func(key K, value V) bool) bool {
	all := ht.mcpsimEntries(i, nil)
	for gap := len(all) / 2; gap > 0; gap /= 2 {
		for i := gap; i < len(all); i++ {
			for j := i; j >= gap && all[j-gap].birth > all[j].birth; j -= gap {
				all[j-gap], all[j] = all[j], all[j-gap]
			}
		}
	}
	for _, e := range all {
		if !yield(e.key, e.value) {
			return false
		}
	}
	return true
}

func (ht *HashTrieMap[K, V]) mcpsimEntries(i *indirect[K, V], all []*entry[K, V]) []*entry[K, V] {
`
