// Speaks C2SP with the packages of transparency-dev: `serve NAME LOGKEY` is their witness, `ask WITNESS LOG LOGKEY` their client of witnesses,
// `prove PROOF LOGKEY` their reader of proofs. Each prints what it found, or fails.
package main

import (
	"context"
	"os"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	switch rest := os.Args[2:]; os.Args[1] {
	case "serve":
		serve(context.Background(), rest[0], rest[1])
	case "ask":
		ask(context.Background(), rest[0], rest[1], rest[2])
	case "prove":
		prove(rest[0], rest[1])
	}
}
