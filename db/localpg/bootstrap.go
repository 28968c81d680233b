//go:build linux

package localpg

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	makeExtensions = "SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS vector; CREATE EXTENSION IF NOT EXISTS pg_trgm"
	makeRole       = "DO $$ BEGIN CREATE ROLE " + appName + " LOGIN CREATEDB; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
	makeDatabase   = "CREATE DATABASE " + appName + " OWNER " + appName
)

// bootstrap makes the role and the database, and puts the extensions into
// template1 first, so that databases which the role creates have them: vector is
// not a trusted extension, so only a superuser may add it. Every step may be
// repeated; the database comes last, so its presence says that all is done but
// its own extensions.
func (s *Server) bootstrap(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	have := false
	err := s.admin(ctx, "postgres", func(c *pgx.Conn) error {
		return c.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", appName).Scan(&have)
	})
	if err == nil && !have {
		if err = s.exec(ctx, "template1", makeExtensions); err == nil {
			err = s.exec(ctx, "postgres", makeRole, makeDatabase)
		}
	}
	if err == nil {
		err = s.exec(ctx, appName, makeExtensions)
	}
	if err != nil {
		return fmt.Errorf("setting up the private database: %w", err)
	}
	return nil
}

// exec runs statements as the superuser in database db.
func (s *Server) exec(ctx context.Context, db string, statements ...string) error {
	return s.admin(ctx, db, func(c *pgx.Conn) error {
		for _, sql := range statements {
			if _, err := c.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
}

// admin gives work a superuser's connection to database db.
func (s *Server) admin(ctx context.Context, db string, work func(*pgx.Conn) error) error {
	c, err := pgx.Connect(ctx, connURL("postgres", db, s.run))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	return work(c)
}
