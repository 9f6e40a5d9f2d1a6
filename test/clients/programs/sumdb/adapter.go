package main

import (
	"fmt"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"io"
	"net/http"
	"strings"
)

// served is a tree of a Rostra service, as golang.org/x/mod/sumdb/tlog reads one.
type served string

func get(url string) ([]byte, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers with %s", url, answer.Status)
	}
	return io.ReadAll(answer.Body)
}

func (served) Height() int                     { return 8 }
func (served) SaveTiles([]tlog.Tile, [][]byte) {}

// ReadTiles leaves the height out of the paths, as C2SP has them.
func (tree served) ReadTiles(tiles []tlog.Tile) (data [][]byte, err error) {
	for _, tile := range tiles {
		hashes, err := get(string(tree) + "/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		data = append(data, hashes)
	}
	return data, nil
}

// treeIn is the head in a signed checkpoint, whose first line tlog does not know.
func treeIn(checkpoint []byte, keys note.Verifiers) (tree tlog.Tree, err error) {
	opened, err := note.Open(checkpoint, keys)
	if err != nil {
		return tree, err
	}
	_, rest, _ := strings.Cut(opened.Text, "\n")
	return tlog.ParseTree([]byte("go.sum database tree\n" + rest))
}
