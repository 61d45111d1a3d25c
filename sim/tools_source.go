package sim

import (
	_ "embed"
	"strings"
)

//go:embed tools.go
var toolsSource string

// HandlerSource returns the code of the tool of that kind, as it runs, for a
// reader who wants to know what was cancelled. It is empty for an unknown kind.
func HandlerSource(kind string) string {
	name := map[string]string{
		Cooperative: "cooperative", Checkpoint: "checkpoint", SlowCleanup: "slowCleanup",
		Chatty: "chatty", Stubborn: "stubborn", Leaky: "leaky",
		Swallow: "swallow", Instant: "instant", Panicking: "panicking", Child: "child", Asking: "asking", Polling: "polling",
	}[kind]
	begin := strings.Index(toolsSource, "func (h *handler) "+name+"(")
	if name == "" || begin < 0 {
		return ""
	}
	source := toolsSource[begin:]
	return source[:strings.Index(source, "}\n\n")+2]
}
