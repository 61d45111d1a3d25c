package netem

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Profile is a named network between two ends, the first and the second: in
// a pair of client and server, the client is the first.
type Profile struct {
	// Name is how people type it.
	Name string `json:"name" yaml:"name"`
	// Doc says in one sentence what it is like.
	Doc string `json:"doc,omitempty" yaml:"doc,omitempty"`
	// Up is what happens to what the first end writes, Down to what the second
	// end writes.
	Up   Direction `json:"up" yaml:"up"`
	Down Direction `json:"down" yaml:"down"`
}

// Validate reports every fault of both directions, joined, or nil.
func (p Profile) Validate() error {
	var errs []error
	if err := p.Up.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("up: %w", err))
	}
	if err := p.Down.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("down: %w", err))
	}
	return errors.Join(errs...)
}

// Profiles returns the named profiles, from the fastest to the slowest.
func Profiles() []Profile {
	lan := Direction{
		Delay:     Delay{Distribution: Normal, Mean: 200 * time.Microsecond, StdDev: 30 * time.Microsecond},
		Bandwidth: 125_000_000,
	}
	wan := Direction{
		Delay:     Delay{Distribution: Exponential, Offset: 5 * time.Millisecond, Mean: 20 * time.Millisecond},
		Bandwidth: 6_250_000,
	}
	return []Profile{
		{Name: "loopback", Doc: "no delay, unlimited bandwidth"},
		{Name: "lan", Doc: "0.2 ms ± 0.03 ms (normal) each way, 1 Gbit/s", Up: lan, Down: lan},
		{Name: "wan", Doc: "5 ms + exponential 20 ms each way, 50 Mbit/s", Up: wan, Down: wan},
	}
}

// LookupProfile returns the profile of that name. The error for an unknown one
// lists the names that exist.
func LookupProfile(name string) (Profile, error) {
	var names []string
	for _, profile := range Profiles() {
		if profile.Name == name {
			return profile, nil
		}
		names = append(names, profile.Name)
	}
	return Profile{}, fmt.Errorf("no network profile %q: there are %s", name, strings.Join(names, ", "))
}
