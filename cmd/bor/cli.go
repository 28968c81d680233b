package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"bor/internal/app"
	"bor/internal/config"
)

// Exit codes.
const (
	exitFailed = 1   // the command could not do what was asked
	exitUsage  = 2   // the command line or a setting is wrong
	exitSignal = 130 // stopped by Ctrl-C before it was done
)

// cli is the command line.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Serve the pages. Brings a private database when DATABASE_URL is not set."`
	Import  importCmd  `cmd:"" help:"Index folders, or every registered source: new and changed files only."`
	Reembed reembedCmd `cmd:"" help:"Make new embeddings after a change of the embedding model; the old ones serve until the new are complete."`
	Eval    evalCmd    `cmd:"" help:"Show how a question is retrieved, or measure a set of questions."`
	Probe   probeCmd   `cmd:"" help:"Check the database and the model endpoints."`
	Health  healthCmd  `cmd:"" help:"Ask the server at BOR_ADDR whether it is ready; for the health checks of containers."`
	Migrate migrateCmd `cmd:"" help:"Move the database's schema up or down, or show where it stands."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// env is what every command works with.
type env struct {
	config  config.Config
	getenv  func(string) string
	version string
	out     io.Writer // results
	err     io.Writer // progress and log
}

// run parses the command line and does what it says. It returns the exit code.
// environ has the environment as NAME=value.
func run(args, environ []string, stdout, stderr io.Writer) int {
	getenv := lookup(environ)
	var c cli
	exit := -1
	parser, err := kong.New(&c, kong.Name("bor"), kong.Description(description()), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }), kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		fmt.Fprintln(stderr, "bor:", err)
		return exitFailed
	}
	args = spelledOut(args)
	command, err := parser.Parse(args)
	if exit >= 0 {
		return exit // --help has been printed
	}
	if err != nil {
		fmt.Fprintf(stderr, "bor: %s\nTry `bor --help`.\n", app.Printable(err.Error()))
		return exitUsage
	}
	settings, err := config.Load(getenv)
	if err != nil {
		fmt.Fprintln(stderr, "bor:", err)
		return exitUsage
	}
	app.SetLog(stderr, settings)
	for _, name := range config.Unknown(environ) {
		slog.Warn("there is no setting of this name; `bor probe --settings` lists them", "name", name)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	command.BindTo(ctx, (*context.Context)(nil))
	err = command.Run(&env{config: settings, getenv: getenv, version: version, out: stdout, err: stderr})
	var failed *app.Failure
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(stderr, "bor: stopped before it was done")
		return exitSignal
	case errors.As(err, &failed):
		return exitFailed // it has been told already
	default:
		fmt.Fprintln(stderr, "bor:", app.Printable(err.Error()))
		return exitFailed
	}
}

// lookup finds the value of a variable; empty: it isn't set.
func lookup(environ []string) func(string) string {
	values := make(map[string]string, len(environ))
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

// spelledOut takes what people try first: no word at all, `help`, `help import`
// and `--version`.
func spelledOut(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// description is the help's first words, and the settings, which are environment
// variables.
func description() string {
	return "Brain of Reese indexes your files, answers questions about them, and shows their exact bytes.\n\n" +
		"Settings are environment variables; `bor probe --settings` lists them with what they do and their values."
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(e *env) error {
	_, err := fmt.Fprintln(e.out, e.version)
	return err
}
