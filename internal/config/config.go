// Package config owns the catalogue of settings: one table that names each
// setting, says what it does, what its default is and what zero means, and how
// its value is read. Start-up stops at the first wrong value, naming the
// setting. Nothing else in the product reads the environment.
package config

import (
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bor/internal/forge"
	"bor/internal/source/git"
)

// Config is a process's settings after defaults and environment.
type Config struct {
	Addr           string
	DatabaseURL    string
	DataDir        string
	AdminPassword  string
	TrustedProxies []netip.Prefix

	LogLevel     slog.Level
	LogFormat    string // "text" or "json"
	LogQuestions bool

	LogLargeBytes int
	QueryLogTTL   time.Duration
	Metrics       string // "off", "local" or "public"
	MetricsToken  string
	Pprof         string // empty: off

	AppName          string
	InputPlaceholder string
	FooterText       string
	Suggestions      []string

	LLM struct {
		BaseURL, APIKey                 string
		ChatModel, LiteModel            string
		EmbedModel                      string
		EmbedBaseURL, EmbedAPIKey       string // the chat endpoint's unless set (DEC15)
		MaxTokens                       int
		Retries                         int
		RetryDelay                      time.Duration
		ConnectTimeout, FirstByte, Idle time.Duration
		StreamThinking                  bool
	}
	EmbeddingDim int

	RelevanceThreshold float64 // 0: the embedder's own default
	TopDocs            int
	PromptMaxChars     int
	OverviewMaxChars   int
	SteeringMaxChars   int
	MaxRounds          int
	ReadMaxChars       int
	EmbedConcurrency   int
	AnswerImages       bool
	AnswerText         bool
	ShowTextMaxChars   int
	ShowTextMaxBlocks  int
	HistoryMaxTurns    int
	HistoryMaxChars    int
	FirstToken         time.Duration
	UnsavedTTL         time.Duration
	AbandonAfter       time.Duration

	GitSources       []string
	SyncEvery        time.Duration
	UploadMaxBytes   int64
	ImportExtensions string
	MaxFileBytes     int64
	ChunkTargetChars int
	ChunkOverlap     int
	ChunkMaxChars    int

	Forges     forge.Hosts
	SourcesDir string // BOR_DATA_DIR/sources unless set
	Git        struct {
		Tokens                            []git.Token
		SSHKeyFile, SSHKnownHosts, CAFile string
		AllowLocal                        bool
		MaxBytes                          int64
		Timeout, Idle                     time.Duration
	}

	PGBinDir, PGMirror, PGUser string
}

// Unknown are the variables of an environment, given as NAME=value, that look like
// settings and are none, in their order.
func Unknown(environ []string) []string {
	var names []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "BOR_") && !slices.ContainsFunc(Catalogue, func(s Setting) bool { return s.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}

// Load reads the environment through getenv and checks every value. The error
// names the setting, its value and what it takes.
func Load(getenv func(string) string) (Config, error) {
	var c Config
	for _, s := range Catalogue {
		value := getenv(s.Name)
		if value == "" {
			value = s.Default
		}
		if err := s.read(&c, value); err != nil {
			shown := fmt.Sprintf("%q", value)
			if s.Secret || strings.Contains(value, "@") { // an address may hold a password
				shown = "its value"
			}
			return Config{}, fmt.Errorf("setting %s: %s is not usable: %w. %s", s.Name, shown, err, s.Help)
		}
	}
	if c.LLM.EmbedBaseURL == "" {
		c.LLM.EmbedBaseURL = c.LLM.BaseURL
		if c.LLM.EmbedAPIKey == "" {
			c.LLM.EmbedAPIKey = c.LLM.APIKey
		}
	}
	if c.SourcesDir == "" {
		c.SourcesDir = filepath.Join(c.DataDir, "sources")
	}
	if c.ChunkOverlap >= c.ChunkMaxChars {
		return Config{}, fmt.Errorf("setting BOR_CHUNK_OVERLAP_CHARS: %d must be less than BOR_CHUNK_MAX_CHARS (%d)", c.ChunkOverlap, c.ChunkMaxChars)
	}
	return c, nil
}
