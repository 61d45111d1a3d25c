package main

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBounded: what goes on for ever is an error, and no history that is cut off.
func TestBounded(t *testing.T) {
	read, err := io.ReadAll(&bounded{strings.NewReader("abc"), 4})
	require.NoError(t, err)
	assert.Equal(t, "abc", string(read))
	read, err = io.ReadAll(&bounded{strings.NewReader("abcdef"), 4})
	require.ErrorContains(t, err, "as no history is")
	assert.Equal(t, "abcd", string(read))
}
