// Verifies a moderation log with golang.org/x/mod/sumdb: verify URL SUBSITE HEADS [trees], where HEADS is a folder of the heads that were seen.
// With "trees", it asks for no proof of the last entry.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func check(err error) { must(0, err) }

type act struct {
	Kind  string
	K, N  int64
	Event struct {
		ID, Type, Leaf string
		Fields         []struct{ Name, Commitment string }
	}
}

// leaf of the event of an act, from its fields.
func (a act) leaf() tlog.Hash {
	fields := map[string]string{}
	for _, field := range a.Event.Fields {
		fields[field.Name] = field.Commitment
	}
	return tlog.RecordHash(must(json.Marshal(map[string]any{"fields": fields, "id": a.Event.ID, "type": a.Event.Type})))
}

// inLog is the leaf in the tree of the whole log: it binds the log of the subsite up to the act, if the event is one of those that do.
func (a act) inLog(from *int64, upTo tlog.HashReader) tlog.Hash {
	leaf := a.leaf()
	if from == nil || a.N < *from {
		return leaf
	}
	root := must(tlog.TreeHash(a.K+1, upTo))
	return tlog.RecordHash(fmt.Appendf(nil, `{"event":"%s","root":"%s","size":%d}`, hex.EncodeToString(leaf[:]), hex.EncodeToString(root[:]), a.K+1))
}

// entry is the leaf in the tree of the subsite.
func (a act) entry() tlog.Hash {
	leaf := a.leaf()
	return tlog.RecordHash(fmt.Appendf(nil, `{"event":"%s","k":%d,"n":%d}`, hex.EncodeToString(leaf[:]), a.K, a.N))
}

type inclusion struct {
	Checkpoint string
	Index      int64
	Path       []string
}

func (i inclusion) check(keys note.Verifiers, leaf tlog.Hash) {
	tree := must(treeIn([]byte(i.Checkpoint), keys))
	var path tlog.RecordProof
	for _, node := range i.Path {
		path = append(path, must(tlog.ParseHash(node)))
	}
	check(tlog.CheckRecord(path, tree.N, tree.Hash, i.Index, leaf))
	if len(path) > 0 && tlog.CheckRecord(path[1:], tree.N, tree.Hash, i.Index, leaf) == nil {
		log.Fatal("a path of another size led to the root")
	}
}

// head is the present head of a tree, which continues the one in a file, if there is one.
func head(url, file string, keys note.Verifiers) (tlog.Tree, tlog.HashReader) {
	checkpoint := must(get(url + "/checkpoint"))
	tree := must(treeIn(checkpoint, keys))
	hashes := tlog.TileHashReader(tree, served(url))
	if seen, err := os.ReadFile(file); err == nil {
		old := must(treeIn(seen, keys))
		check(tlog.CheckTree(must(tlog.ProveTree(tree.N, old.N, hashes)), tree.N, tree.Hash, old.N, old.Hash))
		fmt.Printf("%s has grown from %d to %d\n", filepath.Base(file), old.N, tree.N)
	}
	check(os.WriteFile(file, checkpoint, 0o644))
	return tree, hashes
}

func main() {
	url, subsite, heads := os.Args[1]+"/history", os.Args[2], os.Args[3]
	var history struct {
		Origin      string
		BindingFrom *int64 `json:"binding_from"`
		Keys        []struct{ Key string }
	}
	check(json.Unmarshal(must(get(url)), &history))

	lines := bufio.NewScanner(bytes.NewReader(must(get(url + "/s/" + subsite + "/entries"))))
	lines.Buffer(nil, 1<<24)
	lines.Scan()
	var first struct{ Checkpoint string }
	check(json.Unmarshal(lines.Bytes(), &first))
	name, _, _ := bytes.Cut([]byte(first.Checkpoint), []byte("\n"))
	var logKeys, subsiteKeys []note.Verifier
	for _, key := range history.Keys {
		public := must(base64.StdEncoding.DecodeString(key.Key))
		logKeys = append(logKeys, must(note.NewVerifier(must(note.NewEd25519VerifierKey(history.Origin+"/log", public)))))
		subsiteKeys = append(subsiteKeys, must(note.NewVerifier(must(note.NewEd25519VerifierKey(string(name), public)))))
	}
	ofLog, ofSubsite := note.VerifierList(logKeys...), note.VerifierList(subsiteKeys...)
	whole, inLog := head(url+"/log", filepath.Join(heads, "log"), ofLog)
	tree, inSubsite := head(url+"/s/"+subsite, filepath.Join(heads, "subsite"), ofSubsite)

	var last act
	var count int64
	for lines.Scan() {
		var one act
		check(json.Unmarshal(lines.Bytes(), &one))
		if one.Kind != "entry" {
			break
		}
		if one.K != count {
			log.Fatalf("entry %d says it is %d", count, one.K)
		}
		check(tlog.CheckRecord(must(tlog.ProveRecord(whole.N, one.N, inLog)), whole.N, whole.Hash, one.N, one.inLog(history.BindingFrom, inSubsite)))
		check(tlog.CheckRecord(must(tlog.ProveRecord(tree.N, one.K, inSubsite)), tree.N, tree.Hash, one.K, one.entry()))
		last, count = one, count+1
	}
	if len(os.Args) > 4 {
		fmt.Printf("%d entries hold\n", count)
		return
	}
	var proof struct{ Log, Subsite inclusion }
	check(json.Unmarshal(must(get(url+"/proof/ModAction_"+last.Event.ID)), &proof))
	proof.Log.check(ofLog, last.inLog(history.BindingFrom, inSubsite))
	proof.Subsite.check(ofSubsite, last.entry())
	fmt.Printf("%d entries hold\n", count)
}
