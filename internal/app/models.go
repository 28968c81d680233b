package app

import (
	"bor/internal/config"
	"bor/internal/llm"
	"bor/internal/llm/librarian"
)

// Models are what answers, embeds and summarises. Each role falls back to the
// built-in librarian on its own (DEC15).
type Models struct {
	Chat      llm.Chat
	Embedder  llm.Embedder
	Completer llm.Completer
	Client    *llm.Client // nil when no endpoint is set
	Notice    string      // what pages say of it; empty when a model answers
}

// NewModels chooses endpoints or the librarian, as the settings say. Nothing is
// connected yet.
func NewModels(c config.Config) Models {
	own := librarian.New()
	m := Models{Chat: own, Completer: own, Embedder: librarian.NewEmbedder(c.EmbeddingDim),
		Notice: "No model connected: exact passages only."}
	l := c.LLM
	if l.BaseURL != "" || l.EmbedBaseURL != "" {
		m.Client = llm.NewClient(llm.Config{BaseURL: l.BaseURL, APIKey: l.APIKey, ChatModel: l.ChatModel, LiteModel: l.LiteModel,
			EmbedBaseURL: l.EmbedBaseURL, EmbedAPIKey: l.EmbedAPIKey, EmbedModel: l.EmbedModel, Dimension: c.EmbeddingDim,
			MaxTokens: l.MaxTokens, Retries: l.Retries, RetryDelay: l.RetryDelay, ConnectTimeout: l.ConnectTimeout,
			FirstByte: l.FirstByte, Idle: l.Idle, StreamThinking: l.StreamThinking})
	}
	if l.BaseURL != "" {
		m.Chat, m.Completer, m.Notice = m.Client, m.Client, ""
	}
	if l.EmbedBaseURL != "" {
		m.Embedder = m.Client
	}
	return m
}
