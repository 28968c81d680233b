// Package metrics counts what the product does, for Prometheus (QA3): turns and
// their times, tokens, streams, requests, imports, the pool, and Go's runtime.
//
// Invariants: labels have few values, none of which a client or a document chooses;
// nothing here can fail or hold up what it counts. Counters are this process's own,
// but for the imports: those are read from the database at each scrape, because any
// process, the command line too, may have run them.
package metrics

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"bor/internal/chat"
)

// Metrics are one process's. The methods are safe for concurrent use.
type Metrics struct {
	registry  *prometheus.Registry
	turns     *prometheus.CounterVec
	deflected prometheus.Counter
	tokens    *prometheus.CounterVec
	first     prometheus.Histogram
	whole     prometheus.Histogram
	search    prometheus.Histogram
	embed     prometheus.Histogram
	streams   *prometheus.GaugeVec
	requests  *prometheus.CounterVec
	duration  *prometheus.HistogramVec
}

// Buckets in seconds: of a turn, which a model takes its time for, and of what the
// product does itself.
var (
	turnSeconds = []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320}
	workSeconds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
)

// New makes the metrics, all at zero. version is the product's.
func New(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.turns = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bor_turns_total", Help: "Turns that ended, by how."}, []string{"state"})
	m.deflected = prometheus.NewCounter(prometheus.CounterOpts{Name: "bor_turns_deflected_total", Help: "Turns done without notes on the question."})
	m.tokens = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bor_llm_tokens_total", Help: "Tokens of chat requests, as far as the model's server says."}, []string{"kind"})
	m.first = histogram("bor_turn_first_text_seconds", "From a turn's beginning to its first thinking or text.", turnSeconds)
	m.whole = histogram("bor_turn_seconds", "From a turn's beginning to its end.", turnSeconds)
	m.search = histogram("bor_retrieval_seconds", "Searches for a turn's question, its embedding included.", workSeconds)
	m.embed = histogram("bor_question_embedding_seconds", "Embeddings of a turn's question.", workSeconds)
	m.streams = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "bor_open_streams", Help: "Answers that are being read, by who reads."}, []string{"reader"})
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bor_http_requests_total", Help: "Requests by route and status."}, []string{"method", "route", "code"})
	m.duration = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "bor_http_request_seconds", Help: "Time of requests by route; of a stream, until its end.", Buckets: workSeconds}, []string{"route"})
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "bor_build_info", Help: "1, with the version as a label.", ConstLabels: prometheus.Labels{"version": version}})
	info.Set(1)
	m.registry.MustRegister(m.turns, m.deflected, m.tokens, m.first, m.whole, m.search, m.embed, m.streams, m.requests, m.duration, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, state := range []chat.State{chat.Done, chat.Failed, chat.Stopped, chat.Interrupted} {
		m.turns.WithLabelValues(string(state))
	}
	for _, kind := range []string{"prompt", "completion"} {
		m.tokens.WithLabelValues(kind)
	}
	for _, reader := range []string{"page", "api"} {
		m.streams.WithLabelValues(reader)
	}
	return m
}

func histogram(name, help string, buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
}

// ObserveTurn counts a turn. It is a chat.Observer.
func (m *Metrics) ObserveTurn(_ context.Context, r chat.Report) {
	m.turns.WithLabelValues(string(r.State)).Inc()
	if r.State == chat.Done && r.Deflected {
		m.deflected.Inc()
	}
	m.tokens.WithLabelValues("prompt").Add(float64(max(0, r.PromptTokens)))
	m.tokens.WithLabelValues("completion").Add(float64(max(0, r.CompletionTokens)))
	m.whole.Observe(r.Took.Seconds())
	for _, part := range []struct {
		seconds prometheus.Histogram
		took    time.Duration
	}{{m.first, r.FirstText}, {m.search, r.SearchTime}, {m.embed, r.EmbedTime}} {
		if part.took > 0 { // it came to that
			part.seconds.Observe(part.took.Seconds())
		}
	}
}

// StreamOpened counts a reader ("page" or "api") until the function it gives is
// called.
func (m *Metrics) StreamOpened(reader string) (closed func()) {
	open := m.streams.WithLabelValues(reader)
	open.Inc()
	return open.Dec
}

// Request counts an answered request. route is the router's pattern, never the
// address that was asked for.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete:
	default:
		method = "other" // clients may make up any
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(route).Observe(took.Seconds())
}

// WatchPool adds the figures of the database's pool.
func (m *Metrics) WatchPool(pool *pgxpool.Pool) { m.registry.MustRegister(poolCollector{pool}) }

// WatchImports adds what imports came to, as count gives it.
func (m *Metrics) WatchImports(count ImportCounter) { m.registry.MustRegister(importCollector{count}) }

// Handler answers a scrape.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
