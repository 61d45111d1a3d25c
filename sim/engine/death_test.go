package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const sdk = "github.com/modelcontextprotocol/go-sdk"

// The reports below are the Go runtime's, shortened where there is "...".
const (
	reportSDK = `panic: runtime error: index out of range [3] with length 3

goroutine 41 [running]:
github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).readIncoming(0xc000144000, {0x8f3a28, 0xc00011c0f0})
	github.com/modelcontextprotocol/go-sdk@v1.8.0/internal/jsonrpc2/conn.go:561 +0x1d4
created by github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.bindConnection in goroutine 40
	github.com/modelcontextprotocol/go-sdk@v1.8.0/internal/jsonrpc2/conn.go:272 +0x5a5

goroutine 1 [select]:
github.com/mcpsim/mcpsim/sim.(*world).await(0xc000152000, 0xc000020120)
	github.com/mcpsim/mcpsim/sim/world.go:181 +0x8b
`
	reportTool = `panic: the tool's own fault

goroutine 52 [running]:
github.com/mcpsim/mcpsim/sim.(*handler).cooperative(0xc00017e000, {0x8f3a28?, 0xc00011c0f0?})
	github.com/mcpsim/mcpsim/sim/tools.go:121 +0x27
github.com/modelcontextprotocol/go-sdk/mcp.(*Server).callTool(0xc0001a2000, {0x8f3a28, 0xc00011c0f0}, 0xc0000a8000)
	github.com/modelcontextprotocol/go-sdk@v1.8.0/mcp/server.go:690 +0x1a2
`
	reportReference = `panic: assignment to entry in nil map

goroutine 9 [running]:
panic({0x7a1b40?, 0x8ee1a0?})
	runtime/panic.go:860 +0x13a
github.com/mcpsim/mcpsim/sim/reference.(*link).expectAgain(...)
	github.com/mcpsim/mcpsim/sim/reference/mutants.go:225
github.com/mcpsim/mcpsim/sim.(*world).makeCall(0xc000152000, {0x1, ...})
	github.com/mcpsim/mcpsim/sim/call.go:40 +0x211
`
	reportTwice = `panic: the tool's own fault [recovered, repanicked]

goroutine 52 [running]:
panic({0x7a1b40?, 0x8ee1a0?})
	runtime/panic.go:860 +0x13a
github.com/modelcontextprotocol/go-sdk/mcp.(*Server).callTool.func1()
	github.com/modelcontextprotocol/go-sdk@v1.8.0/mcp/server.go:684 +0x71
panic({0x7a1b40?, 0x8ee1a0?})
	runtime/panic.go:860 +0x13a
github.com/mcpsim/mcpsim/sim.(*handler).cooperative(0xc00017e000, {0x8f3a28?, 0xc00011c0f0?})
	github.com/mcpsim/mcpsim/sim/tools.go:121 +0x27
github.com/modelcontextprotocol/go-sdk/mcp.(*Server).callTool(0xc0001a2000, {0x8f3a28, 0xc00011c0f0}, 0xc0000a8000)
	github.com/modelcontextprotocol/go-sdk@v1.8.0/mcp/server.go:690 +0x1a2
`
	reportMaps = `fatal error: concurrent map writes

goroutine 33 [running]:
internal/runtime/maps.fatal({0x7f1b3f?, 0x1?})
	runtime/panic.go:1181 +0x18
github.com/modelcontextprotocol/go-sdk/mcp.(*ServerSession).updateState(0xc0001a2000)
	github.com/modelcontextprotocol/go-sdk@v1.8.0/mcp/server.go:1200 +0x8a

goroutine 34 [running]:
	goroutine running on other thread; stack unavailable
`
	reportQuit = `SIGQUIT: quit
PC=0x47d3e1 m=0 sigcode=0

goroutine 18 gp=0xc000102700 m=0 mp=0x5a2b00 [running]:
github.com/modelcontextprotocol/go-sdk/mcp.spin(...)
	github.com/modelcontextprotocol/go-sdk@v1.8.0/mcp/shared.go:77 fp=0xc000046fe0 sp=0xc000046fd8 pc=0x47d3e1

goroutine 1 gp=0xc0000061c0 m=nil [select]:
runtime.gopark(0xc0000b1d90?, 0x2?, 0x60?, 0x1d?, 0xc0000b1cfc?)
	runtime/proc.go:460 +0xce
`
	reportWords = "mcpsim worker: take a lease: unexpected EOF\n"
)

func TestDeathIsRead(t *testing.T) {
	exited := errors.New("exit status 2")
	for _, row := range []struct {
		name, report string
		exit         error
		how          string
		headline     string
		top          string // first function of the stack
		names        map[string]bool
	}{
		{"a panic in the SDK", reportSDK, exited, "panic", "panic: runtime error: index out of range [3] with length 3",
			"github.com/modelcontextprotocol/go-sdk/internal/jsonrpc2.(*Connection).readIncoming(0xc000144000, {0x8f3a28, 0xc00011c0f0})",
			map[string]bool{sdk: true, modulePath + "/sim/reference": false}},
		{"a panic in our tool, called by the SDK: the SDK is not to blame", reportTool, exited, "panic", "panic: the tool's own fault",
			"github.com/mcpsim/mcpsim/sim.(*handler).cooperative(0xc00017e000, {0x8f3a28?, 0xc00011c0f0?})",
			map[string]bool{sdk: false, modulePath + "/sim/reference": false}},
		{"a panic in our tool, which the SDK recovered and raised again", reportTwice, exited, "panic", "panic: the tool's own fault [recovered, repanicked]",
			"panic({0x7a1b40?, 0x8ee1a0?})",
			map[string]bool{sdk: false, modulePath + "/sim.(*handler)": true}},
		{"a panic in a target of ours, below the runtime's own frames", reportReference, exited, "panic", "panic: assignment to entry in nil map",
			"panic({0x7a1b40?, 0x8ee1a0?})",
			map[string]bool{sdk: false, modulePath + "/sim/reference": true}},
		{"what no recover catches", reportMaps, exited, "fatal error", "fatal error: concurrent map writes",
			"internal/runtime/maps.fatal({0x7f1b3f?, 0x1?})",
			map[string]bool{sdk: true}},
		{"asked for its stacks", reportQuit, exited, "exit status 2", "exit status 2",
			"github.com/modelcontextprotocol/go-sdk/mcp.spin(...)",
			map[string]bool{sdk: true}},
		{"no stack accuses nobody", reportWords, exited, "exit status 2", "exit status 2", "", map[string]bool{sdk: false}},
		{"it just went", "", nil, "exit status 0", "exit status 0", "", map[string]bool{sdk: false}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := Death{How: howDied(row.exit, row.report), Report: row.report}
			assert.Equal(t, row.how, d.How)
			assert.Equal(t, row.headline, d.Headline())
			if row.top == "" {
				assert.Empty(t, d.Stack())
			} else if assert.Greater(t, len(d.Stack()), 1) {
				assert.Regexp(t, `^goroutine \d+ .*\[running\]:$`, d.Stack()[0])
				assert.Equal(t, row.top, d.Stack()[1])
				assert.NotRegexp(t, `(?m)^goroutine `, strings.Join(d.Stack()[1:], "\n"), "one goroutine only")
			}
			for path, names := range row.names {
				assert.Equal(t, names, d.Names(path), path)
			}
		})
	}
}
