//go:build faketime

package clock

const virtual = true
