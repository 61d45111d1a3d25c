// Package protocol knows the wire of the Model Context Protocol: the versions
// and their two eras, the names of methods and errors, what a frame says, and
// how frames are built. It knows no transport, no session and no schedule.
//
// Read in this order: this file holds the words, [Identify] tells what a frame
// says, [Member] and [Text] look deeper into one, and the Append functions
// build frames.
//
// A frame is one JSON-RPC message without its line end, or at one version a batch of
// them, which [Messages] takes apart. Ids and progress tokens
// are kept as raw JSON everywhere, so that 7 and "7" are two ids.
package protocol

// The published versions of the specification, by date.
const (
	V20241105 = "2024-11-05"
	V20250326 = "2025-03-26"
	V20250618 = "2025-06-18"
	V20251125 = "2025-11-25"
	V20260728 = "2026-07-28"
)

// Versions lists all published versions, oldest first.
func Versions() []string {
	return []string{V20241105, V20250326, V20250618, V20251125, V20260728}
}

// Draft is another name of the version that the specification is being written
// towards, see [Named].
const Draft = "draft"

// Named returns the version that people mean by what they type. The draft has
// become the newest version and has had no text of its own since.
func Named(typed string) string {
	if typed == Draft {
		return V20260728
	}
	return typed
}

// Modern reports whether version is of the stateless era, which began with
// 2026-07-28: every request carries its own version and capabilities in _meta,
// and there is neither an initialize handshake nor a ping. Dates compare as
// text.
func Modern(version string) bool { return version >= V20260728 }

// DeclaresCompletions reports whether a server of the version has a capability
// for completions. The method is older: in the first version a server just
// answers it, or not.
func DeclaresCompletions(version string) bool { return version >= V20250326 }

// NamesVersion reports whether a client of the version names it in a header of every HTTP
// request after the handshake.
func NamesVersion(version string) bool { return version >= V20250618 }

// PrimesStreams reports whether a server of the version begins an SSE stream with an event
// that has an id and no data, so that a client can resume it from there.
func PrimesStreams(version string) bool { return version == V20251125 }

// Method names.
const (
	Initialize  = "initialize"                // legacy era
	Initialized = "notifications/initialized" // legacy era
	Ping        = "ping"                      // legacy era
	Discover    = "server/discover"           // modern era
	ToolsList   = "tools/list"
	ToolsCall   = "tools/call"

	ResourcesList = "resources/list"
	TemplatesList = "resources/templates/list"
	ResourcesRead = "resources/read"
	PromptsList   = "prompts/list"
	PromptsGet    = "prompts/get"
	Complete      = "completion/complete"

	// What servers ask of clients, in the legacy era.
	Sampling    = "sampling/createMessage"
	Elicitation = "elicitation/create" // since 2025-06-18
	RootsList   = "roots/list"

	TasksGet    = "tasks/get"    // 2025-11-25 alone, as all of tasks
	TasksResult = "tasks/result" // blocks until the task is over
	TasksCancel = "tasks/cancel"
	TasksList   = "tasks/list"
	TaskStatus  = "notifications/tasks/status"

	Cancelled = "notifications/cancelled"
	Progress  = "notifications/progress"

	Listen           = "subscriptions/listen"                     // modern era
	Acknowledged     = "notifications/subscriptions/acknowledged" // modern era
	ToolsChanged     = "notifications/tools/list_changed"
	PromptsChanged   = "notifications/prompts/list_changed"
	ResourcesChanged = "notifications/resources/list_changed"
	ResourceUpdated  = "notifications/resources/updated"
)

// Error codes, of JSON-RPC and of MCP.
const (
	ParseError         = -32700
	InvalidRequest     = -32600
	MethodNotFound     = -32601
	InvalidParams      = -32602
	InternalError      = -32603
	HeaderMismatch     = -32020 // modern era, over HTTP
	UnsupportedVersion = -32022 // modern era
)

// Headers of HTTP.
const (
	HeaderSession   = "Mcp-Session-Id"       // legacy era
	HeaderVersion   = "Mcp-Protocol-Version" // since 2025-06-18
	HeaderLastEvent = "Last-Event-ID"        // legacy era
	HeaderMethod    = "Mcp-Method"           // modern era
	HeaderName      = "Mcp-Name"             // modern era
)

// Keys of params._meta.
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"    // modern era, required in every request
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities" // modern era, required in every request
	MetaClient       = "io.modelcontextprotocol/clientInfo"         // modern era
	MetaServer       = "io.modelcontextprotocol/serverInfo"         // modern era, in results
	MetaSubscription = "io.modelcontextprotocol/subscriptionId"     // modern era, in every message of a subscription
	MetaToken        = "progressToken"
	MetaTask         = "io.modelcontextprotocol/related-task" // of a tasks/result's result
	// MetaCall is no key of the protocol's: under it a simulated client puts the
	// number of the call that a request is for.
	MetaCall = "mcpsim/call"
)
