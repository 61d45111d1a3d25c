package mcpgo

import (
	"reflect"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// What differs between the versions of the SDK, from v0.43.2 on, is in this file and in
// those with build tags: mcpsim_older before v0.44, mcpsim_old before v0.58. The _meta of
// requests other than tools/call came late, so it is set by name.

// unmarked are the methods whose requests have no _meta to set.
func unmarked() []string {
	out := []string{protocol.Ping}
	if !hasMeta(mcp.PaginatedParams{}) {
		out = append(out, protocol.ToolsList, protocol.ResourcesList, protocol.TemplatesList, protocol.PromptsList)
	}
	return out
}

func hasMeta(params any) bool {
	_, ok := reflect.TypeOf(params).FieldByName("Meta")
	return ok
}

// metaOf is what the application puts into a request's _meta, nil for nothing.
func metaOf(r sim.Request) *mcp.Meta {
	fields := map[string]any{}
	if r.Progress != nil {
		fields[protocol.MetaToken] = r.Progress
	}
	if r.Mark > 0 {
		fields[sim.MarkKey] = r.Mark
	}
	if len(fields) == 0 {
		return nil
	}
	return mcp.NewMetaFromMap(fields)
}

// setMeta sets the _meta of the parameters that p points to, where they have one.
func setMeta(p any, r sim.Request) {
	if f := reflect.ValueOf(p).Elem().FieldByName("Meta"); f.IsValid() {
		f.Set(reflect.ValueOf(metaOf(r)))
	}
}

// metaIn returns the _meta of the parameters that p points to, nil where they
// have none.
func metaIn(p any) *mcp.Meta {
	f := reflect.ValueOf(p).Elem().FieldByName("Meta")
	if !f.IsValid() {
		return nil
	}
	meta, _ := f.Interface().(*mcp.Meta)
	return meta
}
