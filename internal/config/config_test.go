package config

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bor/internal/forge"
)

func load(t *testing.T, env map[string]string) (Config, error) {
	t.Helper()
	return Load(func(name string) string { return env[name] })
}

func TestDefaultsLoad(t *testing.T) {
	c, err := load(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:8484" || c.EmbeddingDim != 768 || c.TopDocs != 2 || !c.AnswerText ||
		c.ShowTextMaxChars != 12000 || c.ShowTextMaxBlocks != 5 || c.MaxFileBytes != 10<<20 ||
		c.LLM.RetryDelay != 5*time.Second || c.UnsavedTTL != 7*24*time.Hour || len(c.Suggestions) != 3 {
		t.Errorf("defaults are %+v", c)
	}
}

func TestEachSettingIsDocumentedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Catalogue {
		if seen[s.Name] || s.Help == "" || s.Group == "" || s.read == nil {
			t.Errorf("setting %s stands twice or lacks help, group or reader", s.Name)
		}
		seen[s.Name] = true
	}
}

func TestBadValuesNameTheSetting(t *testing.T) {
	for name, values := range map[string][]string{
		"BOR_ADDR":                     {"8484", "host:port", "1.2.3.4:70000"},
		"BOR_PPROF":                    {"6060", "0.0.0.0:6060", "localhost:6060", "192.0.2.1:6060"},
		"BOR_METRICS":                  {"yes", "on"},
		"BOR_QUERY_LOG_TTL":            {"-1h", "x", "90"},
		"BOR_UNSAVED_TTL":              {"7"},
		"BOR_SYNC_EVERY":               {"6"},
		"BOR_LOG_LARGE_RESPONSE_BYTES": {"-1", "1k"},
		"BOR_TRUSTED_PROXIES":          {"10.0.0.0/99", "proxy.lan"},
		"BOR_LOG_LEVEL":                {"loud"},
		"BOR_LOG_FORMAT":               {"xml"},
		"BOR_LOG_QUESTIONS":            {"perhaps"},
		"BOR_APP_NAME":                 {strings.Repeat("n", 301), "\xff"},
		"BOR_LLM_BASE_URL":             {"localhost:8080/v1", "ftp://x/v1", "http://user:pw@x/v1"},
		"BOR_EMBEDDING_DIM":            {"0", "4001", "many", "-768"},
		"BOR_LLM_RETRY_DELAY":          {"-1s", "soon", "9223372036854775807", "9999999999999999999", "-9223372036"},
		"BOR_SUGGESTIONS":              {"fine|" + strings.Repeat("n", 301), "\xff"},
		"BOR_RELEVANCE_THRESHOLD":      {"1.1", "-0.1", "NaN", "high"},
		"BOR_TOP_N_DOCS":               {"0", "21"},
		"BOR_AGENT_MAX_ROUNDS":         {"-1"},
		"BOR_READ_MAX_CHARS":           {"-1"},
		"BOR_SHOW_TEXT_MAX_CHARS":      {"-5", "1e3"},
		"BOR_SHOW_TEXT_MAX_BLOCKS":     {"-1"},
		"BOR_MAX_FILE_MB":              {"-1", "NaN", "big"},
		"BOR_IMPORT_EXTENSIONS":        {" ", "md,,py", "m d", "../x"},
		"BOR_CHUNK_OVERLAP_CHARS":      {"1200", "-1"},
		"BOR_CHUNK_MAX_CHARS":          {"99"},
		"BOR_GIT_TOKENS":               {"example.org", "https://example.org=x"},
		"BOR_GIT_SSH_KEY_FILE":         {"key"},
		"BOR_GIT_CA_FILE":              {"./ca.pem"},
		"BOR_FORGES":                   {"example.org", "example.org=svn"},
		"BOR_GIT_MAX_MB":               {"-1"},
		"BOR_GIT_IDLE_TIMEOUT":         {"-1s"},
	} {
		for _, v := range values {
			_, err := load(t, map[string]string{name: v})
			if err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s=%q: error %v doesn't name the setting", name, v, err)
			}
		}
	}
}

func TestZeroIsAllowedWhereItMeansOff(t *testing.T) {
	for _, name := range []string{"BOR_AGENT_MAX_ROUNDS", "BOR_READ_MAX_CHARS", "BOR_SHOW_TEXT_MAX_CHARS", "BOR_SHOW_TEXT_MAX_BLOCKS",
		"BOR_HISTORY_MAX_TURNS", "BOR_HISTORY_MAX_CHARS", "BOR_MAX_FILE_MB", "BOR_PROMPT_MAX_CHARS", "BOR_FIRST_TOKEN_TIMEOUT"} {
		if _, err := load(t, map[string]string{name: "0"}); err != nil {
			t.Errorf("%s=0: %v", name, err)
		}
	}
}

func TestSecretsStayOutOfErrors(t *testing.T) {
	for _, s := range Catalogue {
		if s.Secret && strings.Contains(s.Default, "secret") {
			t.Errorf("%s has a default", s.Name)
		}
	}
	for _, env := range []map[string]string{
		{"BOR_LLM_BASE_URL": "http://x/v1", "BOR_LLM_API_KEY": "sk-1", "BOR_TOP_N_DOCS": "0"},
		{"BOR_LLM_BASE_URL": "http://user:sk-1@x/v1"}, {"BOR_EMBED_BASE_URL": "ftp://user:sk-1@x"}, {"BOR_LLM_BASE_URL": "http://user:sk-1%zz@x"},
	} {
		if _, err := load(t, env); err == nil || strings.Contains(err.Error(), "sk-1") {
			t.Errorf("error is %v", err)
		}
	}
	if _, err := load(t, map[string]string{"BOR_APP_NAME": "\xff"}); err == nil || !strings.Contains(err.Error(), "not UTF-8") {
		t.Errorf("error is %v", err)
	}
}

func TestEmbeddingsEndpointFallsBackToTheModels(t *testing.T) {
	c, err := load(t, map[string]string{"BOR_LLM_BASE_URL": "http://x/v1/", "BOR_LLM_API_KEY": "k"})
	if err != nil || c.LLM.EmbedBaseURL != "http://x/v1" || c.LLM.EmbedAPIKey != "k" {
		t.Errorf("embeddings at %q with key %q: %v", c.LLM.EmbedBaseURL, c.LLM.EmbedAPIKey, err)
	}
	c, err = load(t, map[string]string{"BOR_LLM_BASE_URL": "http://x/v1", "BOR_LLM_API_KEY": "k", "BOR_EMBED_BASE_URL": "http://other/v1"})
	if err != nil || c.LLM.EmbedAPIKey != "" {
		t.Errorf("the model's key goes to another server: %q, %v", c.LLM.EmbedAPIKey, err)
	}
}

func TestGitSettings(t *testing.T) {
	c, err := load(t, nil)
	if err != nil || c.SourcesDir != filepath.Join("data", "sources") || c.Git.MaxBytes != 2<<30 || c.Git.Timeout != 30*time.Minute || c.Git.Idle != time.Minute || c.Git.AllowLocal {
		t.Errorf("defaults are %+v, %v", c.Git, err)
	}
	c, err = load(t, map[string]string{"BOR_DATA_DIR": "/srv/bor", "BOR_GIT_TOKENS": "example.org=me:tok", "BOR_GIT_CA_FILE": "/ca.pem", "BOR_FORGES": "example.org=forgejo"})
	if err != nil || c.SourcesDir != "/srv/bor/sources" || len(c.Git.Tokens) != 1 || c.Git.Tokens[0].Value != "tok" || c.Git.CAFile != "/ca.pem" || c.Forges["example.org"] != forge.Gitea {
		t.Errorf("%+v, %v", c.Git, err)
	}
	if _, err := load(t, map[string]string{"BOR_GIT_TOKENS": "example.org:secret"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error holds the token: %v", err)
	}
}
