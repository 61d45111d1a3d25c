package netem_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpsim/mcpsim/netem"
)

var frame = []byte(`{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"checkpoint"}}` + "\n")

// BenchmarkEcho sends a frame through a pair and back, two frames an operation;
// both peers block each time.
func BenchmarkEcho(b *testing.B) {
	for _, bench := range []struct {
		name string
		tap  netem.Tap
	}{
		{"unwatched", netem.Tap{}},
		{"watched", netem.Tap{
			Write: func(*netem.Frame) {},
			Wrote: func(*netem.Frame, error) {},
			Read:  func(*netem.Frame) {},
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			rig := netem.Rig{Tap: bench.tap}
			client, server := netem.NewPair(netem.PairConfig{Up: rig, Down: rig})
			var peer sync.WaitGroup
			peer.Go(func() { echo(b, server) })
			b.ReportAllocs()
			buf := make([]byte, 4096)
			for b.Loop() {
				exchange(b, client, buf)
			}
			b.ReportMetric(2*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
			closeEnd(b, client)
			peer.Wait()
		})
	}
}

// BenchmarkStream sends frames one way as fast as the buffer allows.
func BenchmarkStream(b *testing.B) {
	w, r := netem.NewPipe(netem.PipeConfig{})
	go func() {
		for range b.N {
			if _, err := w.Write(frame); err != nil {
				b.Error(err)
			}
		}
		if err := w.Close(); err != nil {
			b.Error(err)
		}
	}()
	b.ReportAllocs()
	buf := make([]byte, 4096)
	for {
		if _, err := r.Read(buf); err != nil {
			break
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

// BenchmarkEchoVirtual is Echo over a delaying network on virtual time: each
// frame costs a timer and a jump of the clock besides.
func BenchmarkEchoVirtual(b *testing.B) {
	b.ReportAllocs()
	synctest.Test(new(testing.T), func(*testing.T) {
		rig := netem.Rig{Travel: constant(time.Millisecond)}
		client, server := netem.NewPair(netem.PairConfig{Up: rig, Down: rig})
		var peer sync.WaitGroup
		peer.Go(func() { echo(b, server) })
		buf := make([]byte, 4096)
		for range b.N {
			exchange(b, client, buf)
		}
		closeEnd(b, client)
		peer.Wait()
	})
}

func exchange(b *testing.B, client netem.End, buf []byte) {
	if _, err := client.Out.Write(frame); err != nil {
		b.Fatal(err)
	}
	if _, err := client.In.Read(buf); err != nil {
		b.Fatal(err)
	}
}

func echo(b *testing.B, server netem.End) {
	defer closeEnd(b, server)
	buf := make([]byte, 4096)
	for {
		n, err := server.In.Read(buf)
		if err != nil {
			return
		}
		if _, err := server.Out.Write(buf[:n]); err != nil {
			b.Error(err)
			return
		}
	}
}

func closeEnd(b *testing.B, end netem.End) {
	if err := end.Out.Close(); err != nil {
		b.Error(err)
	}
	if err := end.In.Close(); err != nil {
		b.Error(err)
	}
}

// BenchmarkHTTP has net/http at both ends: a POST and its answer an operation, on
// one connection, over a network without delay and over loopback.
func BenchmarkHTTP(b *testing.B) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	n := netem.NewNetwork(netem.NetworkConfig{})
	for _, bench := range []struct {
		name   string
		listen func(network, address string) (net.Listener, error)
		dial   func(ctx context.Context, network, address string) (net.Conn, error)
	}{
		{"netem", func(_, address string) (net.Listener, error) { return n.Listen(address) }, n.DialContext},
		{"loopback", net.Listen, new(net.Dialer).DialContext},
	} {
		for _, h2c := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/h2c=%t", bench.name, h2c), func(b *testing.B) {
				l, err := bench.listen("tcp", "127.0.0.1:0")
				if err != nil {
					b.Fatal(err)
				}
				server := &http.Server{Handler: handler, Protocols: protocols(h2c)}
				var serving sync.WaitGroup
				serving.Go(func() { _ = server.Serve(l) }) // it is closed below
				client := &http.Client{Transport: &http.Transport{DialContext: bench.dial, Protocols: protocols(h2c)}}
				b.ReportAllocs()
				for b.Loop() {
					roundTrip(b, client, "http://"+l.Addr().String())
				}
				client.CloseIdleConnections()
				_ = server.Close() // what it says of its listener is nothing to the figures
				serving.Wait()
			})
		}
	}
}

func roundTrip(b *testing.B, client *http.Client, url string) {
	resp, err := client.Post(url, "application/json", bytes.NewReader(frame))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		b.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		b.Fatal(err)
	}
}
