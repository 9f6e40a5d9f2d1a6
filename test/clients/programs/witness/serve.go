package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"

	cosignatures "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/witness/persistence/inmemory"
	"github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"
)

// serve is a witness of one log. It prints its address, with its key after a #.
func serve(ctx context.Context, name, logKey string) {
	secret, public, err := note.GenerateKey(rand.Reader, name)
	signers := []note.Signer{must(cosignatures.NewSignerForCosignatureV1(must(secret, err)))}
	ofLog := must(note.NewVerifier(logKey))
	known := func(_ context.Context, origin string) (note.Verifier, bool, error) {
		return ofLog, origin == ofLog.Name(), nil
	}
	w := must(witness.New(ctx, witness.Opts{Persistence: inmemory.New(), Signers: signers, VerifierForLog: known}))
	http.HandleFunc("POST /add-checkpoint", witness.NewHTTPHandler(w).AddCheckpoint)
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	fmt.Printf("http://%s/#%s\n", listener.Addr(), must(cosignatures.VKeyToCosignatureV1(public)))
	must(0, http.Serve(listener, nil))
}
