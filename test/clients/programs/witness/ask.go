package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	cosignatures "github.com/transparency-dev/formats/note"
	client "github.com/transparency-dev/witness/client/http"
	"github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// ask has a witness, at its address with its key after a #, cosign the head of a log.
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
