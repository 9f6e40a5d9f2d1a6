package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// works calls it at once; what it panics with is what failed.
func works(call string, work func()) {
	defer func() {
		if failure := recover(); failure != nil {
			fmt.Printf("failed\t%s\t%s\n", call, strings.Join(strings.Fields(fmt.Sprint(failure)), " "))
		}
	}()
	work()
	fmt.Printf("ok\t%s\t\n", call)
}

func same(found, expected any) {
	if !reflect.DeepEqual(found, expected) {
		panic(fmt.Sprintf("found %v, expected %v", found, expected))
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// need is the typed body of a response; `raw` says what came in its place.
func need[T any](body *T, raw []byte) T {
	if body == nil {
		panic(string(raw))
	}
	return *body
}

func done[T any](body *T, raw []byte) { same(strings.TrimSpace(string(raw)), "{}"); need(body, raw) }

// accepted: a form says with status 200 what it refuses.
func accepted(raw []byte) {
	var form struct{ Json struct{ Errors []any } }
	must(0, json.Unmarshal(raw, &form))
	if form.Json.Errors == nil || len(form.Json.Errors) > 0 {
		panic(string(raw))
	}
}
