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

// Profiles returns the named profiles, from the nearest to the farthest.
//
// They are round figures for what such links are commonly measured to be, not
// measurements: half a round trip of each, and how it spreads. Light in fibre takes
// 5 ms for 1,000 km, so 75 ms one way is some 10,000 km of cable with its detours.
// A mobile network schedules its cells anew every few milliseconds and hands them
// over from time to time, which shows as a heavy tail whose bad moments come
// together; its uplink is the narrower one. A geostationary satellite is 35,786 km
// up, so the way there and down again takes 240 ms and more before anybody queues.
func Profiles() []Profile {
	lan := Direction{
		Delay:     Delay{Distribution: Normal, Mean: 200 * time.Microsecond, StdDev: 30 * time.Microsecond},
		Bandwidth: 125_000_000,
	}
	wan := Direction{
		Delay:     Delay{Distribution: Exponential, Offset: 5 * time.Millisecond, Mean: 20 * time.Millisecond},
		Bandwidth: 6_250_000,
	}
	longhaul := Direction{
		Delay:     Delay{Distribution: Exponential, Offset: 75 * time.Millisecond, Mean: 10 * time.Millisecond},
		Bandwidth: 6_250_000,
	}
	up, down := mobile()
	satellite := Direction{
		Delay:     Delay{Distribution: Normal, Mean: 280 * time.Millisecond, StdDev: 15 * time.Millisecond},
		Bandwidth: 1_250_000,
	}
	return []Profile{
		{Name: "loopback", Doc: "no delay, unlimited bandwidth"},
		{Name: "lan", Doc: "0.2 ms ± 0.03 ms (normal) each way, 1 Gbit/s", Up: lan, Down: lan},
		{Name: "wan", Doc: "5 ms + exponential 20 ms each way, 50 Mbit/s", Up: wan, Down: wan},
		{Name: "longhaul", Doc: "75 ms + exponential 10 ms each way, 50 Mbit/s: another continent", Up: longhaul, Down: longhaul},
		{Name: "mobile", Doc: "Pareto from 20 ms (shape 1.8, at most 2 s), correlated 0.6, 10 Mbit/s up, 40 Mbit/s down", Up: up, Down: down},
		{Name: "satellite", Doc: "280 ms ± 15 ms (normal) each way, 10 Mbit/s: geostationary", Up: satellite, Down: satellite},
	}
}

func mobile() (up, down Direction) {
	down = Direction{
		Delay:       Delay{Distribution: Pareto, Scale: 20 * time.Millisecond, Shape: 1.8, Cap: 2 * time.Second},
		Bandwidth:   5_000_000,
		Correlation: 0.6,
	}
	up = down
	up.Bandwidth = 1_250_000
	return up, down
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
