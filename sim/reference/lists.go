package reference

import (
	"strings"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// fixedResults lists what a server says without asking the application: the
// results, raw JSON, by method.
func fixedResults(env sim.ServerEnv) map[string]string {
	all := map[string]string{protocol.ToolsList: listResult(env.SpecVersion, "tools", env.Tools, toolLister(env))}
	if protocol.Modern(env.SpecVersion) {
		all[protocol.Discover] = handshakeResult(env)
	} else {
		all[protocol.Initialize] = handshakeResult(env)
		all[protocol.Ping] = `{}`
	}
	if len(env.Resources) > 0 {
		all[protocol.ResourcesList] = listResult[sim.Resource](env.SpecVersion, "resources", nil, nil)
		all[protocol.TemplatesList] = listResult(env.SpecVersion, "resourceTemplates", env.Resources, listedTemplate)
	}
	if len(env.Prompts) > 0 {
		all[protocol.PromptsList] = listResult(env.SpecVersion, "prompts", env.Prompts, listedPrompt)
	}
	return all
}

// handshakeResult is the result of initialize or of server/discover.
func handshakeResult(env sim.ServerEnv) string {
	version := env.SpecVersion
	if protocol.Modern(version) {
		return `{` + complete + uncached + `"supportedVersions":["` + version + `"],"capabilities":` + capabilities(env) + `,` +
			`"_meta":{"` + protocol.MetaServer + `":` + program + `}}`
	}
	return `{"protocolVersion":"` + version + `","capabilities":` + capabilities(env) + `,"serverInfo":` + program + `}`
}

func capabilities(env sim.ServerEnv) string {
	tools, resources := `"tools":{}`, `"resources":{}`
	if env.Changes {
		tools, resources = `"tools":{"listChanged":true}`, `"resources":{"subscribe":true}`
	}
	out := []string{tools}
	if len(env.Resources) > 0 {
		out = append(out, resources)
	}
	if len(env.Prompts) > 0 {
		out = append(out, `"prompts":{}`)
	}
	if env.Complete != nil && protocol.DeclaresCompletions(env.SpecVersion) {
		out = append(out, `"completions":{}`)
	}
	if env.Tasks {
		out = append(out, `"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`)
	}
	return `{` + strings.Join(out, ",") + `}`
}

// listResult is the result of a method that lists what there is.
func listResult[T any](version, name string, all []T, listed func(T) string) string {
	var items []string
	for _, x := range all {
		items = append(items, listed(x))
	}
	return `{` + cacheable(version) + `"` + name + `":[` + strings.Join(items, ",") + `]}`
}

// toolLister returns what a tool is listed as, which says whether it can be run as a
// task.
func toolLister(env sim.ServerEnv) func(sim.Tool) string {
	support := ""
	if env.Tasks {
		support = `,"execution":{"taskSupport":"optional"}`
	}
	return func(t sim.Tool) string {
		return `{"name":` + quote(t.Name) + `,"inputSchema":{"type":"object"}` + support + `}`
	}
}

func listedTemplate(r sim.Resource) string {
	return `{"name":` + quote(r.Name) + `,"uriTemplate":` + quote(r.Template) + `}`
}

func listedPrompt(p sim.Prompt) string {
	return `{"name":` + quote(p.Name) + `,"arguments":[{"name":"` + sim.PromptArgument + `","required":true}]}`
}

// finished is what a result begins with in the modern era, and cacheable what
// one that could be cached does.
func finished(version string) string {
	if protocol.Modern(version) {
		return complete
	}
	return ""
}

func cacheable(version string) string {
	if protocol.Modern(version) {
		return complete + uncached
	}
	return ""
}

func quote(s string) string { return string(protocol.AppendString(nil, s)) }
