package sim

import (
	"fmt"
	"slices"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// A method is a kind of request that calls can be of.
type method struct {
	name string
	// runs tells that code of the application's answers it, which takes its time
	// and can be told to stop. The others the target answers by itself.
	runs bool
	// from and until are the protocol versions that have it; empty: no bound.
	from, until string
}

func methods() []method {
	return []method{
		{name: protocol.ToolsCall, runs: true},
		{name: protocol.ResourcesRead, runs: true},
		{name: protocol.PromptsGet, runs: true},
		{name: protocol.Complete, runs: true},
		{name: protocol.ToolsList},
		{name: protocol.ResourcesList},
		{name: protocol.TemplatesList},
		{name: protocol.PromptsList},
		{name: protocol.Ping, until: protocol.V20251125},
		{name: protocol.Discover, from: protocol.V20260728},
		{name: protocol.Listen, from: protocol.V20260728},
	}
}

// Methods returns the methods that calls can be of: those that code of the
// application's answers, and then those that a target answers by itself.
func Methods() []string {
	var out []string
	for _, m := range methods() {
		out = append(out, m.name)
	}
	return out
}

// TaskMethods returns the methods that ask about tasks. They are not called by
// themselves: what can be made as a task is a call that does.
func TaskMethods() []string {
	return []string{protocol.TasksGet, protocol.TasksResult, protocol.TasksCancel}
}

func lookupMethod(name string) (method, bool) {
	all := methods()
	i := slices.IndexFunc(all, func(m method) bool { return m.name == name })
	if i < 0 {
		return method{}, false
	}
	return all[i], true
}

// in reports whether a protocol version has the method.
func (m method) in(specVersion string) bool {
	return specVersion >= m.from && (m.until == "" || specVersion <= m.until)
}

// can reports whether list, of a target's methods, has the name.
func can(list []string, name string) bool {
	if len(list) == 0 {
		return name == protocol.ToolsCall
	}
	return slices.Contains(list, name)
}

// unavailable says why a method cannot be asked in a world of this configuration,
// "" if it can. What is asked of a world does not depend on it: such a call has
// its place in the schedule, and is not made.
func (cfg WorldConfig) unavailable(c ScheduledCall) string {
	name := c.Method
	m, _ := lookupMethod(name)
	switch {
	case !m.in(cfg.SpecVersion):
		return fmt.Sprintf("%s has no %s", cfg.SpecVersion, name)
	case !can(cfg.Client.Sends, name):
		return fmt.Sprintf("client %s offers no %s", cfg.Client.Name, name)
	case !can(cfg.Server.Serves, name):
		return fmt.Sprintf("server %s does not serve %s", cfg.Server.Name, name)
	case c.Task == nil:
		return ""
	}
	return cfg.tasksUnavailable()
}

// tasksUnavailable is the same for what can be called, but not as a task.
func (cfg WorldConfig) tasksUnavailable() string {
	lacks := func(list []string) bool {
		return slices.ContainsFunc(TaskMethods(), func(m string) bool { return !can(list, m) })
	}
	switch {
	case !protocol.HasTasks(cfg.SpecVersion):
		return cfg.SpecVersion + " has no tasks"
	case lacks(cfg.Client.Sends):
		return fmt.Sprintf("client %s makes no tasks", cfg.Client.Name)
	case lacks(cfg.Server.Serves):
		return fmt.Sprintf("server %s runs no tasks", cfg.Server.Name)
	}
	return ""
}
