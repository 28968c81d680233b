package metrics

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"bor/db"
)

// importTimeout is how long a scrape waits for the database.
const importTimeout = 2 * time.Second

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// The pool's figures.
var (
	poolConns    = desc("bor_db_pool_connections", "Connections to the database, by what they do.", "state")
	poolMax      = desc("bor_db_pool_max_connections", "Connections that the pool may have.")
	poolAcquires = desc("bor_db_pool_acquires_total", "Connections handed out.")
	poolWaits    = desc("bor_db_pool_empty_acquires_total", "Connections that had to be waited for.")
	poolWaited   = desc("bor_db_pool_acquire_seconds_total", "Time spent on getting a connection.")
	poolGivenUp  = desc("bor_db_pool_canceled_acquires_total", "Waits for a connection that were given up.")
)

// poolCollector reads the pool's own statistics, which cost no connection.
type poolCollector struct{ pool *pgxpool.Pool }

// Describe names the figures.
func (poolCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolConns, poolMax, poolAcquires, poolWaits, poolWaited, poolGivenUp} {
		out <- d
	}
}

// Collect gives the figures as they are now.
func (c poolCollector) Collect(out chan<- prometheus.Metric) {
	s := c.pool.Stat()
	gauge := func(d *prometheus.Desc, v int32, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(v), labels...)
	}
	count := func(d *prometheus.Desc, v float64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v)
	}
	gauge(poolConns, s.AcquiredConns(), "used")
	gauge(poolConns, s.IdleConns(), "idle")
	gauge(poolConns, s.ConstructingConns(), "opening")
	gauge(poolMax, s.MaxConns())
	count(poolAcquires, float64(s.AcquireCount()))
	count(poolWaits, float64(s.EmptyAcquireCount()))
	count(poolWaited, s.AcquireDuration().Seconds())
	count(poolGivenUp, float64(s.CanceledAcquireCount()))
}

// The imports' figures.
var (
	importRuns = desc("bor_import_runs_total", "Imports that ended, by how, of all processes.", "state")
	importDocs = desc("bor_import_documents_total", "Documents that imports changed, by how, of all processes.", "change")
)

// ImportCounter sums the runs of imports by how they ended.
type ImportCounter func(context.Context) ([]db.CountImportsRow, error)

type importCollector struct{ count ImportCounter }

// Describe names the figures.
func (importCollector) Describe(out chan<- *prometheus.Desc) { out <- importRuns; out <- importDocs }

// Collect asks the database. While it doesn't answer these figures are missing, and
// the others are there.
func (c importCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), importTimeout)
	defer cancel()
	rows, err := c.count(ctx)
	if err != nil {
		slog.Warn("metrics lack the imports", "error", err)
		return
	}
	docs := map[string]int64{"added": 0, "updated": 0, "pruned": 0}
	for _, r := range rows {
		out <- prometheus.MustNewConstMetric(importRuns, prometheus.CounterValue, float64(r.Runs), r.State)
		docs["added"] += r.Added
		docs["updated"] += r.Updated
		docs["pruned"] += r.Pruned
	}
	for change, n := range docs {
		out <- prometheus.MustNewConstMetric(importDocs, prometheus.CounterValue, float64(n), change)
	}
}
