package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"syscall"
	"time"

	"bor/db"
	"bor/handlers"
	"bor/internal/agent"
	"bor/internal/agent/tools"
	"bor/internal/auth"
	"bor/internal/chat"
	"bor/internal/config"
	"bor/internal/markdown"
	"bor/internal/metrics"
	"bor/internal/querylog"
	"bor/internal/retrieval"
	"bor/internal/syncjob"
	"bor/internal/verbatim"
)

const (
	headerTimeout = 10 * time.Second // SEC4
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
	shutdownWait  = 10 * time.Second
	streamGrace   = time.Second
	// collectAt trades a little time for memory: with the default of 100, 500 answers
	// take 240 KB each while they are written, over PERF4's 200.
	collectAt = 65
)

// ServeOptions are what `bor serve` was told.
type ServeOptions struct {
	Version  string
	FirstRun bool      // make a password and import the sample when there is none
	Out      io.Writer // where people read how to come in
}

// Serve runs the product until ctx ends, then ends turns with an honest state,
// closes streams and stops what it started.
func Serve(ctx context.Context, c config.Config, o ServeOptions) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	if err := errors.Join(gitFiles(c)...); err != nil {
		return err
	}
	listener, err := listen(ctx, c.Addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	password, made := c.AdminPassword, false
	if o.FirstRun {
		if password, made, err = AdminPassword(c); err != nil {
			return err
		}
	}
	if password == "" {
		return auth.ErrNoPassword
	}
	if c.Pprof != "" {
		profiles, err := serveProfiles(ctx, c.Pprof)
		if err != nil {
			return err
		}
		defer profiles.Close()
	}
	database, err := OpenDatabase(ctx, c)
	if err != nil {
		return err
	}
	defer database.Close()
	models := NewModels(c)
	if o.FirstRun {
		if err := importSample(ctx, c, database.DB, models); err != nil {
			return err
		}
	}
	admin, err := auth.NewAdmin(database.DB, password)
	if err != nil {
		return err
	}
	sessions := auth.NewSessions(database.DB, admin)
	defer sessions.Close()
	search := retrieval.New(database.DB, models.Embedder, retrieval.Options{TopDocs: c.TopDocs, Threshold: c.RelevanceThreshold})
	turns := newTurns(c, database.DB, models, search)
	questions, counts := querylog.New(database.DB), newMetrics(o.Version, database.DB)
	turns.Observe(questions.Observe)
	turns.Observe(counts.ObserveTurn)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	importer, err := newImporter(c, database.DB, models)
	if err != nil {
		return err
	}
	syncs, err := syncjob.New(database.DB, importer, c.SyncEvery)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() { questions.Sweep(ctx, c.QueryLogTTL) })
	running.Go(func() { turns.Run(ctx) })
	running.Go(func() { sweepCopies(ctx, c, importer.Registry) })
	running.Go(func() {
		if err := syncs.Run(ctx); err != nil {
			slog.Error("syncs in the background have ended", "error", err)
		}
	})
	closing, closeStreams := context.WithCancel(context.Background())
	defer closeStreams()
	server := newServer(handlers.New(closing, handlers.Deps{
		Identity: handlers.Identity{AppName: c.AppName, Placeholder: c.InputPlaceholder, Footer: c.FooterText,
			Suggestions: c.Suggestions, Version: o.Version, Model: models.Notice},
		TrustedProxies: c.TrustedProxies, AnswerText: c.AnswerText, AnswerImages: c.AnswerImages, Chat: turns, Documents: newStore(c, database.Pool), Admin: admin, Sessions: sessions,
		Sources: importer.Registry, Syncs: syncs, Summaries: importer, MaxUpload: c.UploadMaxBytes,
		Questions: questions, Metrics: counts, MetricsFor: c.Metrics, MetricsToken: c.MetricsToken, LargeResponse: int64(c.LogLargeBytes),
		Notice: search.Notice, Ready: database.Ready, Away: db.Away, ReadOnly: db.ReadOnly,
	}))
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	welcome(o.Out, c, listener.Addr(), password, made)

	select {
	case err = <-failed:
		stop()
	case <-ctx.Done():
	}
	slog.Info("stopping: running answers end, then the server")
	running.Wait() // every turn has its end, and a sync too
	// Readers of these turns are being told, and end by themselves; those of
	// another process's turns are cut, to go on there.
	defer time.AfterFunc(streamGrace, closeStreams).Stop()
	wait, cancel := context.WithTimeout(context.Background(), shutdownWait)
	defer cancel()
	if server.Shutdown(wait) != nil {
		slog.Warn("stopping: some connections didn't end in time and are cut")
		server.Close()
	}
	return err
}

// newMetrics are the process's metrics, with those of its database.
func newMetrics(version string, d *db.DB) *metrics.Metrics {
	m := metrics.New(version)
	m.WatchPool(d.Pool)
	m.WatchImports(d.CountImports)
	return m
}

// newTurns wires what answers a question.
func newTurns(c config.Config, d *db.DB, m Models, search *retrieval.Searcher) *chat.Service {
	store := newStore(c, d.Pool)
	pipeline := &chat.Pipeline{
		Search:    search,
		Documents: store,
		Overview:  overview(d),
		Agent:     agent.New(m.Chat, tools.New(store, markdown.Lang)),
		Settings: agent.Settings{Name: c.AppName, MaxRounds: c.MaxRounds, MaxTokens: c.LLM.MaxTokens, DocumentsMaxChars: c.PromptMaxChars,
			OverviewMaxChars: c.OverviewMaxChars, TuningMaxChars: c.SteeringMaxChars, ReadMaxChars: c.ReadMaxChars},
		Verbatim:   verbatim.Resolver{Store: store, MaxChars: c.ShowTextMaxChars, MaxBlocks: c.ShowTextMaxBlocks, ShowImage: c.AnswerImages},
		AnswerText: c.AnswerText,
		Images:     c.AnswerImages,
	}
	turns := chat.New(d, pipeline, owner(), chat.Limits{HistoryTurns: c.HistoryMaxTurns, HistoryChars: c.HistoryMaxChars,
		FirstToken: c.FirstToken, UnsavedTTL: c.UnsavedTTL, AbandonAfter: c.AbandonAfter})
	turns.Observe(chat.LogTurn(c.LogQuestions))
	return turns
}

func overview(d *db.DB) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		state, err := d.KBState(ctx)
		return state.Overview, err
	}
}

// owner names this process in the database, unlike any before it.
func owner() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text()[:8])
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("setting BOR_ADDR: %s is taken by another program, perhaps another bor. Stop it, or set BOR_ADDR to a free port, as BOR_ADDR=127.0.0.1:8485", addr)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("setting BOR_ADDR: this account may not listen on %s. Ports below 1024 need a privilege; set BOR_ADDR to a higher one", addr)
	case err != nil:
		return nil, fmt.Errorf("setting BOR_ADDR: can't listen on %s: %w", addr, err)
	}
	return l, nil
}

func newServer(h http.Handler) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug)}
}

// reachable is a listener's address as a browser on this machine takes it.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

// welcome tells where to click, and the made password, once.
func welcome(out io.Writer, c config.Config, addr net.Addr, password string, made bool) {
	fmt.Fprintf(out, "\n%s is ready:  http://%s/\n", c.AppName, reachable(addr))
	if made {
		fmt.Fprintf(out, "Log in with the password  %s  (made just now, kept in %s)\n", password, filepath.Join(c.DataDir, passwordFile))
	} else if c.AdminPassword == "" {
		fmt.Fprintf(out, "Log in with the password in %s\n", filepath.Join(c.DataDir, passwordFile))
	}
	fmt.Fprint(out, "Ctrl-C stops it and all that it started.\n\n")
}
