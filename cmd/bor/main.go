// Command bor is Brain of Reese: a knowledge base of your own files that you ask
// in the browser. `bor --help` lists what it does.
package main

import (
	"os"

	"bor/internal/app"
)

// version is set by the build.
var version = "dev"

func main() {
	if code, ok := app.GitHelper(); ok {
		os.Exit(code)
	}
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
