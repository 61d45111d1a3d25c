package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A patch replaces one passage of a file of the Go runtime, or of another package
// of the standard library if the file's name says so. The passage must occur
// exactly once in the local source, or the overlay is not used at all.
type patch struct {
	file, old, new, why string
}

// source is where the file lies below a Go installation.
func source(file string) string {
	if !strings.Contains(file, "/") {
		file = "runtime/" + file
	}
	return filepath.Join("src", filepath.FromSlash(file))
}

// runtimePatches put the runtime's chance and its scheduler under the seed.
// They change nothing while faketime is off, and take no effect outside the
// worker. The anchors are the same in Go 1.26 and 1.27.
func runtimePatches() []patch {
	return append([]patch{
		{
			file: "proc.go", why: "time slices end by the real clock's thread; in virtual time that would be chance from outside",
			old: "} else if pd.schedwhen+forcePreemptNS <= now {",
			new: "} else if faketime == 0 && pd.schedwhen+forcePreemptNS <= now {",
		},
		{
			file: "proc.go", why: "the runtime's own shuffling of the run queue, on in race builds only, becomes a switch",
			old: "const randomizeScheduler = raceenabled",
			new: "var randomizeScheduler = raceenabled",
		},
		{
			file: "proc.go", why: "whether the goroutine that was just made ready goes next",
			old: "if randomizeScheduler && next && randn(2) == 0 {",
			new: "if randomizeScheduler && next && mcpsimScheduler(2) == 0 {",
		},
		{
			file: "proc.go", why: "a goroutine joins the queue at a random place, not at its end",
			old: "\t\tpp.runq[t%uint32(len(pp.runq))].set(gp)\n\t\tatomic.StoreRel(&pp.runqtail, t+1) // store-release, makes the item available for consumption\n",
			new: "\t\tpp.runq[t%uint32(len(pp.runq))].set(gp)\n\t\tif faketime != 0 && randomizeScheduler {\n\t\t\tj := h + mcpsimScheduler(t-h+1)\n\t\t\tpp.runq[t%uint32(len(pp.runq))], pp.runq[j%uint32(len(pp.runq))] = pp.runq[j%uint32(len(pp.runq))], pp.runq[t%uint32(len(pp.runq))]\n\t\t}\n\t\tatomic.StoreRel(&pp.runqtail, t+1) // store-release, makes the item available for consumption\n",
		},
		{
			file: "proc.go", why: "the order of a batch that moves to the global queue",
			old: "\t\t\tj := cheaprandn(i + 1)\n\t\t\tbatch[i], batch[j] = batch[j], batch[i]\n",
			new: "\t\t\tj := mcpsimScheduler(i + 1)\n\t\t\tbatch[i], batch[j] = batch[j], batch[i]\n",
		},
		{
			file: "proc.go", why: "the order of a batch that joins the queue",
			old: "\t\t\tj := cheaprandn(i + 1)\n\t\t\tpp.runq[off(i)], pp.runq[off(j)] = pp.runq[off(j)], pp.runq[off(i)]\n",
			new: "\t\t\tj := mcpsimScheduler(i + 1)\n\t\t\tpp.runq[off(i)], pp.runq[off(j)] = pp.runq[off(j)], pp.runq[off(i)]\n",
		},
		{
			file: "proc.go", why: "who waits for a timer need not count all goroutines, at each jump of the clock, to know that there are some",
			old: "\tgrunning := 0\n\tforEachG(func(gp *g) {\n",
			new: "\tgrunning := 0\n\tif faketime != 0 && timeSleepUntil() < maxWhen {\n\t\tgrunning = 1\n\t\tgoto counted\n\t}\n\tforEachG(func(gp *g) {\n",
		},
		{
			file: "proc.go", why: "the end of that count",
			old: "\tif grunning == 0 { // possible if main goroutine calls",
			new: "counted:\n\tif grunning == 0 { // possible if main goroutine calls",
		},
		{
			file: "proc.go", why: "each instant draws from streams of its own, see streams",
			old: "\t\t\tfaketime = when\n",
			new: "\t\t\tfaketime = when\n\t\t\tmcpsimInstant()\n",
		},
		{
			file: "mgcscavenge.go", why: "behind a collection, the real clock's thread would wake a goroutine, and so shift when the queue of all is looked at",
			old: "func (s *scavengerState) ready() {\n\ts.sysmonWake.Store(1)\n",
			new: "func (s *scavengerState) ready() {\n\tif faketime == 0 {\n\t\ts.sysmonWake.Store(1)\n\t}\n",
		},
		{
			file: "select.go", why: "which ready case a select takes",
			old: "\t\tj := cheaprandn(uint32(norder + 1))\n",
			new: "\t\tj := mcpsimChance(uint32(norder + 1))\n",
		},
		{
			file: "rand.go", why: "map order, math/rand/v2 and everything else that asks the runtime for chance",
			old: "func rand() uint64 {\n",
			new: "func rand() uint64 {\n\tif faketime != 0 {\n\t\treturn mcpsimNext(&mcpsimRandom)\n\t}\n",
		},
		{
			file: "alg.go", why: "the keys by which maps of more than a few entries hash, and so their order",
			old: "\t\thashkey[i] = uintptr(bootstrapRand())\n",
			new: "\t\thashkey[i] = uintptr(mcpsimKey())\n",
		},
		{
			file: "alg.go", why: "the same where the processor helps",
			old: "\t\tkey[i] = bootstrapRand()\n",
			new: "\t\tkey[i] = mcpsimKey()\n",
		},
		{
			file: "rand.go", why: "threads come and go by the real clock, so they must not draw from the seeded stream",
			old: "\tmp.cheaprand = rand()\n",
			new: "\tmp.cheaprand = bootstrapRand()\n",
		},
	}, slices.Concat(timerPatches(), mapPatches(), lazyPatches(), syncMapPatches(), contextPatches(), httpPatches())...)
}

// mapPatches keep what maps draw apart from everything else that draws, and let
// the hashes of a world's maps draw nothing at all: a process that does something
// for the first time draws more than later, which would shift the order of maps.
func mapPatches() []patch {
	const file = "internal/runtime/maps/table.go"
	return []patch{{
		file: file, why: "where an iteration begins",
		old: "\tit.entryOffset = rand()\n\tit.dirOffset = rand()\n",
		new: "\tit.entryOffset = mcpsimOffset()\n\tit.dirOffset = mcpsimOffset()\n",
	}, {
		file: "rand.go", why: "how a map hashes",
		old: "func maps_rand() uint64 {\n\treturn rand()\n}\n",
		new: "func maps_rand() uint64 {\n\tif faketime != 0 {\n\t\treturn mcpsimMix(mcpsimWorld.runtime)\n\t}\n\treturn rand()\n}\n",
	}}
}

// lazyPatches fix the hashes of the maps that the standard library makes when it
// first needs them, sync.Map's above all: only the first worlds of a process
// would draw for them, and shift what everybody else draws in that instant.
func lazyPatches() []patch {
	return []patch{{
		file: "internal/sync/hashtriemap.go", why: "how a sync.Map hashes",
		old: "\tht.seed = uintptr(runtime_rand())\n",
		new: "\tht.seed = 0x9e3779b9\n",
	}, {
		file: "unique/canonmap.go", why: "how the map of unique handles hashes",
		old: "\tcm.seed = uintptr(runtime_rand())\n",
		new: "\tcm.seed = 0x9e3779b9\n",
	}}
}

// offset is added to the maps' table.go.
const offset = `
//go:linkname mcpsimOffset
func mcpsimOffset() uint64
`

// writeOverlay patches the runtime of goroot into dir and returns the path of
// the file for go build -overlay. The local Go installation is only read. It
// errs when a passage does not occur exactly once, as in a Go release that this
// version does not know.
func writeOverlay(goroot, dir string) (string, error) {
	sources := map[string]string{}
	for _, p := range runtimePatches() {
		text, ok := sources[p.file]
		if !ok {
			data, err := os.ReadFile(filepath.Join(goroot, source(p.file)))
			if err != nil {
				return "", fmt.Errorf("runtime overlay: %w", err)
			}
			text = string(data)
		}
		if n := strings.Count(text, p.old); n != 1 {
			return "", fmt.Errorf("runtime overlay: a passage of %s occurs %d times in this Go, not once (%s)", p.file, n, p.why)
		}
		sources[p.file] = strings.Replace(text, p.old, p.new, 1)
	}
	sources["rand.go"] += streams
	sources["context/context.go"] += order
	sources["net/http/h2_bundle.go"] += byBirth
	sources["internal/runtime/maps/table.go"] += offset
	return writeSources(goroot, dir, sources)
}

func writeSources(goroot, dir string, sources map[string]string) (string, error) {
	replace := map[string]string{}
	for file, text := range sources {
		path := filepath.Join(dir, filepath.Base(file))
		if err := writeIfChanged(path, []byte(text)); err != nil {
			return "", fmt.Errorf("runtime overlay: %w", err)
		}
		replace[filepath.Join(goroot, source(file))] = path
	}
	data, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "  ")
	if err != nil {
		return "", fmt.Errorf("runtime overlay: %w", err)
	}
	path := filepath.Join(dir, "overlay.json")
	if err := writeIfChanged(path, data); err != nil {
		return "", fmt.Errorf("runtime overlay: %w", err)
	}
	return path, nil
}

// writeIfChanged leaves an equal file alone, so that the build stays up to date,
// and replaces another atomically, since several processes may write at once.
func writeIfChanged(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(data) {
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, firstOf(err, os.Remove(tmp.Name())))
	}
	return nil
}

// firstOf returns err; the second error is what cleaning up after it gave.
func firstOf(err, _ error) error { return err }
