// Command redis is the cache that Argo CD asks for, in memory only: miniredis, listening on the loopback.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	port := flag.Int("port", 0, "port on 127.0.0.1 to listen on")
	flag.Parse()
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(fmt.Sprintf("127.0.0.1:%d", *port)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("listening on", server.Addr())
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	// Made for tests, its time stands still unless it is moved, and then nothing would ever expire.
	tick := time.NewTicker(time.Second)
	for {
		select {
		case <-tick.C:
			server.FastForward(time.Second)
		case <-stop:
			server.Close()
			return
		}
	}
}
