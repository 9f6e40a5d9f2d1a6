// Speaks C2SP tlog-witness with the packages of github.com/transparency-dev/witness: `serve NAME LOGKEY` is their witness, `ask WITNESS LOG LOGKEY`
// their client, which has a witness, at its address with its key after a #, cosign the head of a log.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"

	cosignatures "github.com/transparency-dev/formats/note"
	client "github.com/transparency-dev/witness/client/http"
	"github.com/transparency-dev/witness/persistence/inmemory"
	"github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

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

func ask(ctx context.Context, address, of, logKey string) {
	place, key, _ := strings.Cut(address, "#")
	w := client.NewWitness(must(url.Parse(place)), http.DefaultClient)
	checkpoint := must(get(of + "/checkpoint"))
	tree := must(treeIn(checkpoint, note.VerifierList(must(note.NewVerifier(logKey)))))
	lines, size, err := w.Update(ctx, 0, checkpoint, nil)
	if errors.Is(err, witness.ErrCheckpointStale) {
		var proof [][]byte
		for _, hash := range must(tlog.ProveTree(tree.N, int64(size), tlog.TileHashReader(tree, served(of)))) {
			proof = append(proof, hash[:])
		}
		lines, _, err = w.Update(ctx, size, checkpoint, proof)
	}
	must(0, err)
	must(note.Open(append(bytes.Clone(checkpoint), lines...), note.VerifierList(must(cosignatures.NewVerifierForCosignatureV1(key)))))
	fmt.Printf("%d after %d\n", tree.N, size)
}

func main() {
	if os.Args[1] == "serve" {
		serve(context.Background(), os.Args[2], os.Args[3])
	}
	ask(context.Background(), os.Args[2], os.Args[3], os.Args[4])
}
