package stack_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcpsim/mcpsim/sim/stack"
)

// Go prints this, shortened.
const twice = `
panic({0x7a1b40?, 0x8ee1a0?})
	runtime/panic.go:860 +0x13a
example.com/sdk/mcp.(*Server).call.func1()
	example.com/sdk@v1.8.0/mcp/server.go:684 +0x71
panic({0x7a1b40?, 0x8ee1a0?})
	runtime/panic.go:860 +0x13a
example.com/app.(*Tool).Run(0xc00017e000, {0x8f3a28?, 0xc00011c0f0?})
	example.com/app/tools.go:121 +0x27
created by example.com/sdk/mcp.(*Server).serve in goroutine 40
	example.com/sdk@v1.8.0/mcp/server.go:272 +0x5a5
`

const cleaned = `panic
	runtime/panic.go:860
example.com/sdk/mcp.(*Server).call.func1
	example.com/sdk@v1.8.0/mcp/server.go:684
panic
	runtime/panic.go:860
example.com/app.(*Tool).Run
	example.com/app/tools.go:121
created by example.com/sdk/mcp.(*Server).serve
	example.com/sdk@v1.8.0/mcp/server.go:272`

func TestClean(t *testing.T) { assert.Equal(t, cleaned, stack.Clean(twice)) }

func TestOrigin(t *testing.T) {
	for _, text := range []string{cleaned, strings.TrimSpace(twice)} {
		from := stack.Origin(strings.Split(text, "\n"))
		assert.True(t, strings.HasPrefix(from[0], "example.com/app.(*Tool).Run"))
		assert.Equal(t, from, stack.Origin(from), "nobody panicked")
	}
	assert.Empty(t, stack.Origin([]string{"panic"}))
	assert.Empty(t, stack.Origin(nil))
}

func TestBelow(t *testing.T) {
	for _, row := range []struct {
		function, path string
		want           bool
	}{
		{"example.com/sdk.Run", "example.com/sdk", true},
		{"example.com/sdk.(*Server).Run(0x1)", "example.com/sdk", true},
		{"example.com/sdk/mcp.Run", "example.com/sdk", true},
		{"example.com/sdk2.Run", "example.com/sdk", false},
		{"main.main", "example.com/sdk", false},
		{".main", "", false},
	} {
		assert.Equal(t, row.want, stack.Below(row.function, row.path), "%+v", row)
	}
}
