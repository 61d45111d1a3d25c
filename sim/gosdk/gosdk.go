// Package gosdk seats the official Go SDK, github.com/modelcontextprotocol/go-sdk,
// on either side of a pair. It uses the SDK as an application does, through its
// public interface and its own transports, and changes nothing in it.
package gosdk

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpsim/mcpsim/sim"
	"github.com/mcpsim/mcpsim/sim/protocol"
)

// Module is the SDK's module path.
const Module = "github.com/modelcontextprotocol/go-sdk"

// Target describes the SDK in the given version, as it is linked into this
// binary.
func Target(version string) sim.Target { return target(version, nil) }

func target(version string, with chosen) sim.Target {
	return sim.Target{
		Name:         "go-sdk",
		Version:      version,
		Package:      Module,
		SpecVersions: specVersions(),
		Sends:        slices.DeleteFunc(sim.Methods(), func(m string) bool { return m == protocol.Discover }),
		Serves:       sim.Methods(),
		Asks:         with.asks(),
		Answers:      sim.Questions(),
		Transports:   sim.Transports(),
		Polls:        with.has(optStore) && !with.has(optStateless) && !with.has(optJSON),
		Options:      options(),
		With:         func(options []string) sim.Target { return target(version, options) },
		Doc:          "the official Go SDK over its own transports: IOTransport, streamable HTTP, HTTP+SSE",
		NewClient:    with.newClient,
		NewServer:    with.newServer,
	}
}

type client struct {
	env     sim.ClientEnv
	with    chosen
	version string
	listens bool
	session *mcp.ClientSession
	over    chan struct{} // closed when the session is; see listen.go
}

func (c chosen) newClient(env sim.ClientEnv) sim.Client {
	return &client{env: env, with: c, version: env.SpecVersion, listens: env.Listens, over: make(chan struct{})}
}

// opening is how the client asks for its version.
func (c *client) opening() *mcp.ClientSessionOptions {
	if c.with.has(optDiscover) {
		return nil
	}
	return choose(c.version)
}

// Connect does the handshake of the version that was asked for, and errs when
// the two agree on another one.
func (c *client) Connect(ctx context.Context, conn sim.Conn) error {
	opts := clientOptions(c.env)
	if c.listens {
		hear(opts)
	}
	impl := mcp.NewClient(&mcp.Implementation{Name: "mcpsim", Version: "0"}, opts)
	for _, uri := range c.env.Roots {
		//lint:ignore SA1019 the legacy era has it
		impl.AddRoots(&mcp.Root{URI: uri})
	}
	session, err := impl.Connect(ctx, c.transport(conn), c.opening())
	if err != nil {
		return err
	}
	c.session = session
	if got := session.InitializeResult().ProtocolVersion; got != c.version {
		return fmt.Errorf("negotiated protocol version %s, not %s", got, c.version)
	}
	if c.listens {
		go c.watch()
	}
	return nil
}

func (c *client) Probe(ctx context.Context) error {
	if protocol.Modern(c.version) {
		_, err := c.session.ListTools(ctx, nil)
		return err
	}
	return c.session.Ping(ctx, nil)
}

// Close does nothing where there is no session.
func (c *client) Close() error {
	if c.session == nil {
		return nil
	}
	return c.session.Close()
}
