package main

import (
	"fmt"

	"github.com/transparency-dev/formats/proof"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// prove checks the proof at an address with the key of its tree, and prints the record that it proves.
func prove(of, key string) {
	var read proof.TLogProof
	must(0, read.Unmarshal(must(get(of))))
	tree := must(treeIn(read.Checkpoint, note.VerifierList(must(note.NewVerifier(key)))))
	var path tlog.RecordProof
	for _, hash := range read.Hashes {
		path = append(path, hash)
	}
	must(0, tlog.CheckRecord(path, tree.N, tree.Hash, int64(read.Index), tlog.RecordHash(read.ExtraData)))
	fmt.Println(string(read.ExtraData))
}
