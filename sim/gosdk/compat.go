package gosdk

import (
	"context"
	"reflect"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim/protocol"
)

// What differs between the versions of the SDK, from v1.6.1 on, is in this file.
// Fields that came later are set by name, since a version without them would not
// compile otherwise, and a checkout has no version to go by.

// specVersions are those that the linked SDK speaks and mcpsim judges. The
// option that marks the release that brought 2026-07-28 stands for it.
func specVersions() []string {
	all := protocol.Versions()
	if hasField(mcp.StreamableHTTPOptions{}, "PropagateRequestCancellation") {
		return all
	}
	return slices.DeleteFunc(all, protocol.Modern)
}

// choose makes the client ask for one version. Before v1.8.0 it asks for its newest
// one and takes what the server has.
func choose(version string) *mcp.ClientSessionOptions {
	opts := &mcp.ClientSessionOptions{}
	set(opts, "ProtocolVersion", version)
	return opts
}

// narrow makes the server serve one version. Before v1.8.0 it serves all, and its
// client asks for the newest; there a legacy session comes about by agreeing on the
// version that is served, and, where the transport could be a modern one's, by refusing
// the question that opens a modern session.
func narrow(opts *mcp.ServerOptions, version string, legacyTransport bool) (refusal mcp.Middleware) {
	if set(opts, "SupportedProtocolVersions", []string{version}) || protocol.Modern(version) {
		return nil
	}
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == protocol.Discover && !legacyTransport {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
			}
			if params, ok := req.GetParams().(*mcp.InitializeParams); ok && params != nil {
				params.ProtocolVersion = version
			}
			return next(ctx, method, req)
		}
	}
}

func hasField(v any, name string) bool {
	_, ok := reflect.TypeOf(v).FieldByName(name)
	return ok
}

// set sets an exported field of what p points to, and reports whether there is
// one.
func set(p any, name string, value any) bool {
	f := reflect.ValueOf(p).Elem().FieldByName(name)
	if !f.IsValid() {
		return false
	}
	f.Set(reflect.ValueOf(value))
	return true
}
