package oracle

import (
	"strings"

	"github.com/mcpsim/mcpsim/sim/history"
)

// Scripts that differ from others by one thing.

// heads is the script with the heads of one exchange changed.
func (s webScript) heads(name string, change func(*history.HTTPHead)) webScript {
	s.head = func(h *history.HTTPHead, of string) {
		if of == name {
			change(h)
		}
	}
	return s
}

// replaced is the script with one piece of its text replaced.
func (s webScript) replaced(old, new string) webScript {
	s.text = strings.Replace(s.text, old, new, 1)
	return s
}

// standing is the script as it stands, whose exchanges end as they do.
func (s webScript) standing() webScript { s.bare = true; return s }

// leaving is the script with so many sessions left at its end.
func (s webScript) leaving(n int) webScript { s.left = n; return s }

// bareGreeted is the script with its handshake and nothing after it.
func (s webScript) bareGreeted() webScript {
	s.text, s.bare = s.greeting()+s.text, true
	return s
}

// bareManually is the script as it stands.
func (s webScript) bareManually() webScript {
	s.text = "0 client connect; connected\n" + s.text
	s.bare, s.byHand = true, true
	return s
}

// manuallyGreeted is the script with its handshake before it, and from then on with nothing
// that happens by itself.
func (s webScript) manuallyGreeted() webScript {
	text := s.text
	s.bare, s.byHand = true, true
	s.text = strings.Replace(s.greeting(), "> welcome", "status hello 200; > welcome; finish hello", 1)
	s.text = strings.Replace(s.text, "< welcome", "status hello 200; < welcome; finish hello", 1)
	s.text = strings.Replace(s.text, "< ready", "< ready; status ready 202; finish ready", 1) + text
	return s
}

// connected is the script as it stands, behind the client's beginning.
func (s webScript) connected() webScript {
	s.text, s.bare = "0 client connect; connected\n"+s.text, true
	return s
}

// inWallTime is the script by another clock, under which order alone proves nothing for
// 50 ms.
func (s webScript) inWallTime() webScript { s.wall = true; return s }

// unserved is the script without an end but the world's limit, for which callers wait.
func (s webScript) unserved() webScript {
	s.text += "\n60000 world horizon"
	return s.bareGreeted()
}

// led is the script with a server of several instances that share nothing: all exchanges
// come to the first, but those of these names, which come to the second.
func (s webScript) led(astray ...string) webScript {
	s.instances = map[string]int{"": 1}
	for _, name := range astray {
		s.instances[name] = 2
	}
	return s
}

// placed is the script with the exchange of that name at that instance; 0: it is not known.
func (s webScript) placed(name string, instance int) webScript {
	s.instances[name] = instance
	return s
}
