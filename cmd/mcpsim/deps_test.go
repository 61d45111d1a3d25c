package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/mcpsim/mcpsim"

// A border says what a package may have below it, directly or not.
type border struct {
	pkg    string   // below the module
	ours   []string // packages of ours that it may reach; "x/..." is x and all below it
	not    []string // modules of others that it must not reach
	reason string
}

// borders is the architecture, as far as imports can hold it. A new package needs
// a row.
func borders() []border {
	drawing := []string{"gonum.org/v1", "codeberg.org/go-fonts", "golang.org/x/image"}
	surface := []string{"github.com/spf13/cobra", "github.com/vbauerster/mpb"}
	sdks := []string{"github.com/modelcontextprotocol", "github.com/mark3labs"}
	outside := slices.Concat(drawing, surface, sdks)
	histories := []string{"sim/history"}
	world := []string{"netem", "sim", "sim/history", "sim/protocol", "sim/clock", "sim/stack"}
	judges := []string{"sim/history", "analysis/..."}
	worker := slices.Concat(world, []string{"sim/lease", "sim/targets", "sim/gosdk", "sim/mcpgo", "sim/reference", "analysis", "analysis/oracle"})
	return []border{
		{"netem", nil, outside, "bytes and delays: of use to anybody, in any test"},
		{"sim/history", nil, outside, "what was observed, read by both sides of the house: it leans on neither"},
		{"sim/clock", nil, outside, "the hold on the runtime, below everything"},
		{"sim/stack", nil, outside, "text that the runtime prints"},
		{"sim/lease", nil, outside, "what passes between the processes reads nothing of what it carries"},
		{"scenarios", nil, outside, "text only"},
		{"sim/protocol", histories, outside, "turns bytes into messages of a history"},
		{"sim", world, outside, "drives and records; it does not judge, and knows no target"},
		{"sim/engine", []string{"sim/lease", "sim/stack"}, outside, "runs processes; it does not know what a world is"},
		{"sim/gosdk", world, slices.Concat(drawing, surface), "an adapter: the SDK and the contract"},
		{"sim/mcpgo", world, slices.Concat(drawing, surface), "likewise"},
		{"sim/reference", world, outside, "a peer of our own, strict because it owes nothing to an SDK"},
		{"sim/sdktest", world, outside, "what the adapters' tests have in common: the contract, and no SDK"},
		{"sim/targets", slices.Concat(world, []string{"sim/gosdk", "sim/mcpgo", "sim/reference", "sim/lease"}), slices.Concat(drawing, surface), "the list of who can play"},
		{"analysis/oracle", histories, outside, "judges histories and sees nothing else; the worker carries it"},
		{"analysis", judges, outside, "adds up and writes; it never runs anything"},
		{"analysis/plots", judges, slices.Concat(surface, sdks), "draws what was added up"},
		{"analysis/spacetime", judges, outside, "lists a judged history"},
		{"cmd/mcpsim/worker", append(slices.Clone(worker), "cmd/mcpsim/worker/serve"), slices.Concat(drawing, surface), "a main with the list of who plays"},
		{"cmd/mcpsim/worker/serve", worker, slices.Concat(drawing, surface),
			"it is built on the user's machine and started for every few worlds: no plots and no command line in it"},
		{"cmd/mcpsim", []string{"netem", "sim/...", "analysis/...", "scenarios"}, nil, "wires everything, but for the worker, which is another program"},
	}
}

// TestBorders asks the go command who reaches whom.
func TestBorders(t *testing.T) {
	readSource(t)
	table := borders()
	for _, pkg := range packages(t) {
		i := slices.IndexFunc(table, func(b border) bool { return b.pkg == pkg })
		if !assert.GreaterOrEqual(t, i, 0, "%s has no row in the table of borders; say who it may import, and why", pkg) {
			continue
		}
		t.Run(pkg, func(t *testing.T) { table[i].check(t) })
		table = slices.Delete(table, i, i+1)
	}
	assert.Empty(t, table, "rows of packages that are gone")
}

// packages lists those of the module, without its name.
func packages(t *testing.T) []string {
	var out []string
	for _, path := range list(t, "./...") {
		out = append(out, strings.TrimPrefix(path, module+"/"))
	}
	return out
}

func list(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

func (b border) check(t *testing.T) {
	for _, dep := range list(t, "-deps", "./"+b.pkg) {
		below, ours := strings.CutPrefix(dep, module+"/")
		if ours && below != b.pkg {
			assert.True(t, b.allows(below), "%s reaches %s. %s: %s", b.pkg, below, b.pkg, b.reason)
		}
		for _, not := range b.not {
			assert.False(t, dep == not || strings.HasPrefix(dep, not+"/"), "%s reaches %s. %s: %s", b.pkg, dep, b.pkg, b.reason)
		}
	}
}

func (b border) allows(pkg string) bool {
	return slices.ContainsFunc(b.ours, func(pattern string) bool {
		root, wild := strings.CutSuffix(pattern, "/...")
		return pkg == root || wild && strings.HasPrefix(pkg, root+"/")
	})
}
