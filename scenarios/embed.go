// Package scenarios is the catalogue: the scenario files that come with mcpsim.
// Each is a file of its own, named after its scenario, with a comment that says
// what it hunts. It holds text only; package sim reads it.
package scenarios

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// files are read-only.
//
//go:embed *.yaml
var files embed.FS

// Names returns the names of the scenarios in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the root of an embedded file system is always there
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	slices.Sort(names) // files are in the order of their names with the extension
	return names
}

// Read returns the file of one scenario, comments included. The error for an
// unknown name lists those that exist.
func Read(name string) ([]byte, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return files.ReadFile(name + ".yaml")
}
