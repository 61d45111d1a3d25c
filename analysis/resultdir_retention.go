package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpsim/mcpsim/analysis/oracle"
	"github.com/mcpsim/mcpsim/sim/history"
)

// SampledSeeds is how many worlds without a finding have their histories kept,
// at each protocol version.
const SampledSeeds = 20

// A HistoryKey names the history of one world of the target's arm.
type HistoryKey struct {
	SpecVersion string
	Seed        uint64
}

// A Retention decides which histories are worth keeping: for each finding the
// KeptSeeds smallest seeds and the one that will be its example, and a sample of
// the worlds in which nothing was found. Which worlds those are is known only at
// the end, so that a history that is kept now may be dropped later; the outcome
// does not depend on the order of the worlds. The zero value is ready to use.
type Retention struct {
	lists  map[retentionKey][]ranked
	causes map[retentionKey]causeList // by key without kind and cause
}

type retentionKey struct {
	specVersion string
	kind        retentionKind
	rule        string
	side        history.Side
	cause       string
}

type retentionKind int

const (
	smallest retentionKind = iota // of a finding
	example                       // of a finding: the smallest with a margin above zero
	sample                        // of the worlds without a finding
)

// A ranked seed; the smallest ranks of a list stay.
type ranked struct{ rank, seed uint64 }

// Offer takes note of a world. It reports whether its history is to be kept as
// far as is known now, and which histories are not needed any more.
func (r *Retention) Offer(w World) (keep bool, drop []HistoryKey) {
	if w.Arm != ArmTarget {
		return false, nil
	}
	var out []uint64
	for key, limit := range wishes(w) {
		filed, dropped := r.file(key)
		out = append(out, dropped...)
		out = append(out, r.insert(filed, limit, w.Seed)...)
	}
	slices.Sort(out)
	for _, seed := range slices.Compact(out) {
		if k := (HistoryKey{w.SpecVersion, seed}); seed != w.Seed && !r.Wants(k) {
			drop = append(drop, k)
		}
	}
	return r.Wants(HistoryKey{w.SpecVersion, w.Seed}), drop
}

// Wants reports whether a history is to be kept as far as is known now.
func (r *Retention) Wants(k HistoryKey) bool {
	for key, list := range r.lists {
		if key.specVersion == k.SpecVersion &&
			slices.ContainsFunc(list, func(x ranked) bool { return x.seed == k.Seed }) {
			return true
		}
	}
	return false
}

// Wanted lists all histories that are to be kept as far as is known now.
func (r *Retention) Wanted() []HistoryKey {
	var out []HistoryKey
	for key, list := range r.lists {
		for _, x := range list {
			out = append(out, HistoryKey{key.specVersion, x.seed})
		}
	}
	slices.SortFunc(out, func(a, b HistoryKey) int {
		return cmp.Or(strings.Compare(a.SpecVersion, b.SpecVersion), cmp.Compare(a.Seed, b.Seed))
	})
	return slices.Compact(out)
}

// wishes returns the lists that a world belongs on, with their lengths.
func wishes(w World) map[retentionKey]int {
	lists := map[retentionKey]int{}
	for _, v := range w.Judgement.Verdicts {
		if v.Status != oracle.Fail || v.Implied != "" {
			continue
		}
		for _, part := range partsOf(v) {
			lists[retentionKey{w.SpecVersion, smallest, v.Rule, part.Side, part.cause}] = limits[smallest]
			if slices.ContainsFunc(part.Violations, func(x oracle.Violation) bool { return x.Lateness > 0 }) {
				lists[retentionKey{w.SpecVersion, example, v.Rule, part.Side, part.cause}] = limits[example]
			}
		}
	}
	if len(lists) == 0 {
		lists[retentionKey{specVersion: w.SpecVersion, kind: sample}] = limits[sample]
	}
	return lists
}

// limits are the lengths of the lists of each kind.
var limits = [...]int{smallest: KeptSeeds, example: 1, sample: SampledSeeds}

// file puts a cause under the name by which the findings have it. It returns the
// seeds that had to go when two causes were joined for that.
func (r *Retention) file(key retentionKey) (filed retentionKey, dropped []uint64) {
	if key.kind == sample {
		return key, nil
	}
	if r.causes == nil {
		r.causes = map[retentionKey]causeList{}
	}
	at := key
	at.kind, at.cause = 0, ""
	list := r.causes[at]
	under, evicts, ok := list.file(key.cause)
	r.causes[at] = list
	if ok {
		dropped = r.join(at, evicts)
	}
	key.cause = under
	return key, dropped
}

// join moves the lists of a cause to OtherCauses.
func (r *Retention) join(at retentionKey, cause string) (dropped []uint64) {
	for _, kind := range []retentionKind{smallest, example} {
		from, to := at, at
		from.kind, from.cause = kind, cause
		to.kind, to.cause = kind, OtherCauses
		list := r.lists[from]
		delete(r.lists, from)
		for _, x := range list {
			dropped = append(dropped, r.insert(to, limits[kind], x.seed)...)
		}
	}
	return dropped
}

// insert puts a seed on a list and returns the one that had to go, if any.
func (r *Retention) insert(key retentionKey, limit int, seed uint64) []uint64 {
	if r.lists == nil {
		r.lists = map[retentionKey][]ranked{}
	}
	x := ranked{rank: seed, seed: seed}
	if key.kind == sample {
		x.rank = scramble(seed)
	}
	list := r.lists[key]
	i, found := slices.BinarySearchFunc(list, x, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.seed, b.seed))
	})
	if found || i >= limit {
		return nil
	}
	list = slices.Insert(list, i, x)
	r.lists[key] = list[:min(len(list), limit)]
	if len(list) > limit {
		return []uint64{list[limit].seed}
	}
	return nil
}

// scramble spreads seeds evenly (the finalizer of splitmix64), so that the
// sample is not merely the first worlds.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
