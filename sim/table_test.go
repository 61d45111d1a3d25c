package sim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/mcpsim/mcpsim/sim"
)

func pets() sim.Table {
	return sim.Table{
		Columns: []sim.Column{{Name: "name", Example: "Rex", Required: true}, {Name: "kind", Example: "dog"}},
		Example: "- {name: Rex, kind: dog}",
		Purpose: "pets",
	}
}

func TestTableReads(t *testing.T) {
	rows, faults := pets().Read([]byte("# ours\n- name: Rex\n  kind: dog\n- {name: \"Tom: the cat\"}\n- name: 2026-07-28\n"))
	require.Empty(t, faults)
	assert.Equal(t, []sim.Row{
		{Line: 2, Column: 3, Cells: map[string]sim.Cell{"name": {Text: "Rex", Line: 2, Column: 9}, "kind": {Text: "dog", Line: 3, Column: 9}}},
		{Line: 4, Column: 3, Cells: map[string]sim.Cell{"name": {Text: "Tom: the cat", Line: 4, Column: 10}}},
		{Line: 5, Column: 3, Cells: map[string]sim.Cell{"name": {Text: "2026-07-28", Line: 5, Column: 9}}},
	}, rows)
	rows, faults = pets().Read([]byte("[]\n"))
	assert.Empty(t, rows, "a list may be empty")
	assert.Empty(t, faults)
}

func TestTableRefuses(t *testing.T) {
	for _, tt := range []struct{ reason, file, want string }{
		{"an empty file says nothing, not even that there is nothing", "# none left\n", "pets.yaml:1:1: the file is empty; write [] where there are no pets"},
		{"no list", "name: Rex\n", "pets.yaml:1:1: this is a mapping; write a list, such as - {name: Rex, kind: dog}"},
		{"a misspelt key, and the key that is missing for it", "- nmae: Rex\n",
			"pets.yaml:1:3: [0].nmae: there is no such key here; did you mean name? write name or kind\n" +
				"pets.yaml:1:3: [0].name: this is missing; write name: Rex"},
		{"a number is no text", "- {name: 7}\n", "pets.yaml:1:10: [0].name: this is a number; write text, such as Rex"},
		{"a key twice", "- name: Rex\n  name: Max\n", "pets.yaml:2:3: [0].name: the key is there twice; leave one out"},
		{"an anchor", "- &a {name: Rex}\n", "pets.yaml:1:3: anchors, aliases and merge keys are not part of the format; write the value out"},
		{"all faults at once", "- {}\n- Rex\n",
			"pets.yaml:1:3: [0].name: this is missing; write name: Rex\n" +
				"pets.yaml:2:3: [1]: this is text; write a mapping with the keys name or kind"},
		{"two documents", "[]\n---\n[]\n", "pets.yaml:3:1: a second document begins here; write one list, without ---"},
		{"no YAML", "- {name: Rex\n", "pets.yaml:1:3: this is not YAML: could not find flow mapping end token '}'; write a list, such as - {name: Rex, kind: dog}"},
	} {
		_, faults := pets().Read([]byte(tt.file))
		err := sim.NewFaults("pets.yaml", faults)
		if assert.Error(t, err, tt.reason) {
			assert.Equal(t, tt.want, err.Error(), tt.reason)
		}
	}
}

func TestTableNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.StringMatching(`([-{}\[\]:,#&*!"'|> \n]|name|kind|Rex){0,40}`).Draw(t, "file")
		rows, faults := pets().Read([]byte(file))
		if len(faults) == 0 {
			for _, r := range rows {
				require.Contains(t, r.Cells, "name", "what is required is there: %q", file)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	legal := []string{"CANCEL-SILENCE", "RESP-ONCE"}
	assert.Equal(t, "CANCEL-SILENCE", sim.Nearest("cancel_silense", legal))
	assert.Empty(t, sim.Nearest("ZZZ", legal))
}

func TestSeedsThrough(t *testing.T) {
	for _, tt := range []struct {
		typed string
		last  uint64
		want  string
	}{
		{"0-999", 3, "0-3"},
		{"0-999", 0, "0"},
		{"0-999", 999, "0-999"},
		{"20-25,3,9", 9, "3,9"},
		{"20-25,3,9", 22, "3,9,20-22"},
	} {
		s, err := sim.ParseSeeds(tt.typed)
		require.NoError(t, err)
		got := s.Through(tt.last)
		again, err := sim.ParseSeeds(got.String())
		require.NoError(t, err)
		assert.Equal(t, tt.want, got.String())
		assert.Equal(t, again.Count(), got.Count(), "%s through %d", tt.typed, tt.last)
	}
}
