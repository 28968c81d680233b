package llm

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Config says where models are and how patient to be. Durations and counts of 0
// mean no limit, no retry, or "not sent".
type Config struct {
	BaseURL   string // of an OpenAI-compatible server, up to and with /v1
	APIKey    string
	ChatModel string // answers
	LiteModel string // one-shot completions

	EmbedBaseURL string // empty: BaseURL, then with APIKey
	EmbedAPIKey  string
	EmbedModel   string
	Dimension    int // numbers that an embedding must have

	MaxTokens      int           // longest reply, in tokens
	Retries        int           // tries after the first, before any output
	RetryDelay     time.Duration // between tries, unless the server asks for another wait
	ConnectTimeout time.Duration // for a connection and its TLS handshake, each
	FirstByte      time.Duration // until the first output of a reply, retries included
	Idle           time.Duration // longest silence after that
	StreamThinking bool          // emit thinking; it is in the Reply anyway
}

// Client talks to OpenAI-compatible servers. It is the contract's Chat,
// Embedder and Completer at once, safe for use from several goroutines.
type Client struct {
	cfg               Config
	chat, lite, embed *endpoint
}

var (
	_ Chat      = (*Client)(nil)
	_ Completer = (*Client)(nil)
	_ Embedder  = (*Client)(nil)
)

// NewClient makes a client. It connects only when it is used.
func NewClient(cfg Config) *Client {
	cfg.APIKey = strings.TrimSpace(cfg.APIKey)
	cfg.EmbedAPIKey = strings.TrimSpace(cfg.EmbedAPIKey)
	embedAddress, embedKey := "BOR_EMBED_BASE_URL", "BOR_EMBED_API_KEY"
	if cfg.EmbedBaseURL == "" || cfg.EmbedBaseURL == cfg.BaseURL {
		cfg.EmbedBaseURL, embedAddress = cfg.BaseURL, "BOR_LLM_BASE_URL"
		if cfg.EmbedAPIKey == "" || cfg.EmbedAPIKey == cfg.APIKey {
			cfg.EmbedAPIKey, embedKey = cfg.APIKey, "BOR_LLM_API_KEY"
		}
	}
	plain := newHTTPClient(cfg.ConnectTimeout)
	at := func(baseURL, key, addressSetting, keySetting, model, modelSetting string) *endpoint {
		e := &endpoint{
			key: key, addressSetting: addressSetting, keySetting: keySetting,
			model: model, modelSetting: modelSetting, firstByte: cfg.FirstByte, idle: cfg.Idle,
		}
		e.connect(baseURL, plain)
		return e
	}
	return &Client{
		cfg:   cfg,
		chat:  at(cfg.BaseURL, cfg.APIKey, "BOR_LLM_BASE_URL", "BOR_LLM_API_KEY", cfg.ChatModel, "BOR_CHAT_MODEL"),
		lite:  at(cfg.BaseURL, cfg.APIKey, "BOR_LLM_BASE_URL", "BOR_LLM_API_KEY", cfg.LiteModel, "BOR_LITE_MODEL"),
		embed: at(cfg.EmbedBaseURL, cfg.EmbedAPIKey, embedAddress, embedKey, cfg.EmbedModel, "BOR_EMBED_MODEL"),
	}
}

// endpoint is one model at one address, with the names of the settings that
// lead to it, so that errors can say what to change.
type endpoint struct {
	api  *openai.Client
	host string // for people; nothing else of the address is ever shown
	key  string

	secrets []string // what no message may hold

	model, modelSetting        string
	addressSetting, keySetting string
	firstByte, idle            time.Duration

	// What the server turned out to be like.
	noMaxTokens     atomic.Bool // it refuses the field, or its value
	noStreamOptions atomic.Bool // it refuses the field
	preopened       atomic.Bool // replies begin inside of reasoning, see thinkSplitter
}

func (e *endpoint) connect(baseURL string, plain *http.Client) {
	e.host = "(no address)"
	u, err := url.Parse(baseURL)
	if err == nil && u.Host != "" {
		e.host = u.Host
	}
	e.secrets = secretsOf(e.key, u)
	config := openai.DefaultConfig(e.key)
	config.BaseURL = baseURL
	config.HTTPClient = &doer{http: plain, endpoint: e}
	config.EmptyMessagesLimit = 1 << 30 // eventReader leaves none
	e.api = openai.NewClientWithConfig(config)
}
