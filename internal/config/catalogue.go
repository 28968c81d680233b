package config

import "time"

// Setting is one row of the catalogue.
type Setting struct {
	Name    string
	Group   string
	Default string
	Help    string // what it does and takes; what zero means
	Secret  bool   // never shown or logged
	read    func(*Config, string) error
}

// Catalogue is every setting, in the order in which people read them.
var Catalogue = []Setting{
	{Name: "BOR_ADDR", Group: "Server", Default: "127.0.0.1:8484", Help: "Address and port to listen on, as host:port.", read: hostPort(func(c *Config) *string { return &c.Addr })},
	{Name: "BOR_DATA_DIR", Group: "Server", Default: "data", Help: "Folder for what is kept outside the database: the private database itself and the made password.", read: text(func(c *Config) *string { return &c.DataDir })},
	{Name: "BOR_ADMIN_PASSWORD", Group: "Server", Help: "The admin's password; bor serve refuses to start while it is empty.", Secret: true, read: text(func(c *Config) *string { return &c.AdminPassword })},
	{Name: "BOR_TRUSTED_PROXIES", Group: "Server", Help: "Addresses or CIDR ranges, separated by commas, of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed. Empty: none.", read: prefixes},
	{Name: "BOR_LOG_LEVEL", Group: "Server", Default: "info", Help: "One of debug, info, warn, error.", read: logLevel},
	{Name: "BOR_LOG_FORMAT", Group: "Server", Default: "text", Help: "One of text, json.", read: oneOf(func(c *Config) *string { return &c.LogFormat }, "text", "json")},
	{Name: "BOR_LOG_QUESTIONS", Group: "Server", Default: "false", Help: "Whether log lines hold the text of questions: true or false.", read: boolean(func(c *Config) *bool { return &c.LogQuestions })},
	{Name: "BOR_LOG_LARGE_RESPONSE_BYTES", Group: "Server", Default: "262144", Help: "An answer of the JSON API with more bytes is logged as a warning. 0: none is.", read: count(func(c *Config) *int { return &c.LogLargeBytes })},
	{Name: "BOR_QUERY_LOG_TTL", Group: "Server", Default: "2160h", Help: "The query log, for the admin, forgets a question after so long, as 2160h for 90 days. 0: never.", read: span(func(c *Config) *time.Duration { return &c.QueryLogTTL })},
	{Name: "BOR_METRICS", Group: "Server", Default: "local", Help: "Who may read /metrics: off, nobody; local, programs on this machine that ask it directly; public, everybody. Whoever sends BOR_METRICS_TOKEN may too, unless off.", read: oneOf(func(c *Config) *string { return &c.Metrics }, "off", "local", "public")},
	{Name: "BOR_METRICS_TOKEN", Group: "Server", Help: "Lets a scraper read /metrics from elsewhere, as Authorization: Bearer. Empty: there is none.", Secret: true, read: text(func(c *Config) *string { return &c.MetricsToken })},
	{Name: "BOR_PPROF", Group: "Server", Help: "Loopback address and port, as 127.0.0.1:6060, to serve Go's profiles on, without asking who reads them. Empty: nowhere.", read: loopback(func(c *Config) *string { return &c.Pprof })},

	{Name: "DATABASE_URL", Group: "Database", Help: "PostgreSQL 15 or newer with pgvector 0.8 or newer, as postgres://user:password@host:5432/name. Empty: bor brings its own, in BOR_DATA_DIR.", Secret: true, read: text(func(c *Config) *string { return &c.DatabaseURL })},
	{Name: "BOR_PG_BINDIR", Group: "Database", Help: "Folder with the PostgreSQL programs for the private database. Empty: found or fetched.", read: text(func(c *Config) *string { return &c.PGBinDir })},
	{Name: "BOR_PG_MIRROR", Group: "Database", Help: "Debian mirror to fetch the private database from. Empty: the one that this machine's apt uses.", read: text(func(c *Config) *string { return &c.PGMirror })},
	{Name: "BOR_PG_USER", Group: "Database", Help: "Account that runs the private database when bor is started by root. Empty: one is chosen.", read: text(func(c *Config) *string { return &c.PGUser })},

	{Name: "BOR_APP_NAME", Group: "Identity", Default: "Brain of Reese", Help: "The product's name on pages, and the persona's in answers; at most 300 characters.", read: identity(func(c *Config) *string { return &c.AppName })},
	{Name: "BOR_INPUT_PLACEHOLDER", Group: "Identity", Default: "Ask about your files…", Help: "What the empty question field says; at most 300 characters.", read: identity(func(c *Config) *string { return &c.InputPlaceholder })},
	{Name: "BOR_FOOTER_TEXT", Group: "Identity", Help: "A line in the foot of every page; at most 300 characters. Empty: none.", read: identity(func(c *Config) *string { return &c.FooterText })},
	{Name: "BOR_SUGGESTIONS", Group: "Identity", Default: "Show me the quadlet for gufo|Which port does the DNS sit on?|What did I do last time the disk filled up?", Help: "Questions offered until there are some of one's own, separated by |; each at most 300 characters.", read: list(func(c *Config) *[]string { return &c.Suggestions })},

	{Name: "BOR_LLM_BASE_URL", Group: "Model", Help: "An OpenAI-compatible server's address, up to and with /v1. Empty: the built-in librarian answers.", read: httpURL(func(c *Config) *string { return &c.LLM.BaseURL })},
	{Name: "BOR_LLM_API_KEY", Group: "Model", Help: "Key for that server, if it wants one.", Secret: true, read: text(func(c *Config) *string { return &c.LLM.APIKey })},
	{Name: "BOR_CHAT_MODEL", Group: "Model", Default: "turbo", Help: "Name of the model that answers.", read: text(func(c *Config) *string { return &c.LLM.ChatModel })},
	{Name: "BOR_LITE_MODEL", Group: "Model", Default: "lite", Help: "Name of the model that writes summaries.", read: text(func(c *Config) *string { return &c.LLM.LiteModel })},
	{Name: "BOR_EMBED_MODEL", Group: "Model", Default: "embed", Help: "Name of the embedding model.", read: text(func(c *Config) *string { return &c.LLM.EmbedModel })},
	{Name: "BOR_EMBED_BASE_URL", Group: "Model", Help: "The embeddings server's address. Empty: BOR_LLM_BASE_URL.", read: httpURL(func(c *Config) *string { return &c.LLM.EmbedBaseURL })},
	{Name: "BOR_EMBED_API_KEY", Group: "Model", Help: "Key for the embeddings server. Empty: BOR_LLM_API_KEY while both are the same server.", Secret: true, read: text(func(c *Config) *string { return &c.LLM.EmbedAPIKey })},
	{Name: "BOR_EMBEDDING_DIM", Group: "Model", Default: "768", Help: "Numbers in a vector: what the embedding model gives, 1 to 4000.", read: number(func(c *Config) *int { return &c.EmbeddingDim }, 1, 4000)},
	{Name: "BOR_LLM_MAX_TOKENS", Group: "Model", Default: "32768", Help: "Longest reply asked for, in tokens. 0: not sent.", read: count(func(c *Config) *int { return &c.LLM.MaxTokens })},
	{Name: "BOR_LLM_RETRIES", Group: "Model", Default: "3", Help: "Further tries of a request that failed before its first output. 0: none.", read: count(func(c *Config) *int { return &c.LLM.Retries })},
	{Name: "BOR_LLM_RETRY_DELAY", Group: "Model", Default: "5s", Help: "Wait between tries, as 5s; a plain number is seconds.", read: duration(func(c *Config) *time.Duration { return &c.LLM.RetryDelay })},
	{Name: "BOR_LLM_CONNECT_TIMEOUT", Group: "Model", Default: "10s", Help: "Longest wait for a connection. 0: no limit.", read: duration(func(c *Config) *time.Duration { return &c.LLM.ConnectTimeout })},
	{Name: "BOR_LLM_FIRST_BYTE_TIMEOUT", Group: "Model", Default: "5m", Help: "Longest wait for a reply's first byte. 0: no limit.", read: duration(func(c *Config) *time.Duration { return &c.LLM.FirstByte })},
	{Name: "BOR_LLM_IDLE_TIMEOUT", Group: "Model", Default: "2m", Help: "Longest silence within a reply. 0: no limit.", read: duration(func(c *Config) *time.Duration { return &c.LLM.Idle })},
	{Name: "BOR_STREAM_THINKING", Group: "Model", Default: "true", Help: "Whether people see the model's thinking: true or false.", read: boolean(func(c *Config) *bool { return &c.LLM.StreamThinking })},

	{Name: "BOR_RELEVANCE_THRESHOLD", Group: "Retrieval", Default: "0", Help: "Cosine from which a question counts as on topic, 0 to 1. 0: the embedder's own value.", read: fraction(func(c *Config) *float64 { return &c.RelevanceThreshold })},
	{Name: "BOR_TOP_N_DOCS", Group: "Retrieval", Default: "2", Help: "Documents that go whole into the prompt, 1 to 20.", read: number(func(c *Config) *int { return &c.TopDocs }, 1, 20)},
	{Name: "BOR_PROMPT_MAX_CHARS", Group: "Retrieval", Default: "200000", Help: "Room for documents in the prompt, in characters; a document that doesn't fit is named, not cut. 0: no limit.", read: count(func(c *Config) *int { return &c.PromptMaxChars })},
	{Name: "BOR_KB_OVERVIEW_MAX_CHARS", Group: "Retrieval", Default: "4000", Help: "Room for the overview in the prompt, in characters. 0: no limit.", read: count(func(c *Config) *int { return &c.OverviewMaxChars })},
	{Name: "BOR_STEERING_MAX_CHARS", Group: "Retrieval", Default: "8000", Help: "Room for steering notes in the prompt, in characters. 0: no limit.", read: count(func(c *Config) *int { return &c.SteeringMaxChars })},

	{Name: "BOR_AGENT_MAX_ROUNDS", Group: "Answers", Default: "10", Help: "Tool rounds of a turn. 0: no tools.", read: count(func(c *Config) *int { return &c.MaxRounds })},
	{Name: "BOR_READ_MAX_CHARS", Group: "Answers", Default: "128000", Help: "Characters that one read gives the model. 0: no limit.", read: count(func(c *Config) *int { return &c.ReadMaxChars })},
	{Name: "BOR_ANSWER_TEXT", Group: "Answers", Default: "true", Help: "Whether answers show exact text from files: true or false.", read: boolean(func(c *Config) *bool { return &c.AnswerText })},
	{Name: "BOR_ANSWER_IMAGES", Group: "Answers", Default: "false", Help: "Whether images (png, jpg, jpeg, webp, gif) are indexed and shown in answers: true or false. Indexing follows with the next sync.", read: boolean(func(c *Config) *bool { return &c.AnswerImages })},
	{Name: "BOR_SHOW_TEXT_MAX_CHARS", Group: "Answers", Default: "12000", Help: "Characters in one verbatim panel. 0: no limit.", read: count(func(c *Config) *int { return &c.ShowTextMaxChars })},
	{Name: "BOR_SHOW_TEXT_MAX_BLOCKS", Group: "Answers", Default: "5", Help: "Verbatim panels in one answer. 0: no limit.", read: count(func(c *Config) *int { return &c.ShowTextMaxBlocks })},
	{Name: "BOR_HISTORY_MAX_TURNS", Group: "Answers", Default: "40", Help: "Earlier turns that the model is given. 0: no limit.", read: count(func(c *Config) *int { return &c.HistoryMaxTurns })},
	{Name: "BOR_HISTORY_MAX_CHARS", Group: "Answers", Default: "24000", Help: "Characters of earlier turns, thinking counted. 0: no limit.", read: count(func(c *Config) *int { return &c.HistoryMaxChars })},
	{Name: "BOR_FIRST_TOKEN_TIMEOUT", Group: "Answers", Default: "300s", Help: "A turn that has shown nothing for so long ends as an error. 0: no limit.", read: duration(func(c *Config) *time.Duration { return &c.FirstToken })},
	{Name: "BOR_ABANDON_AFTER", Group: "Answers", Default: "0", Help: "A running answer that no open page has shown for so long ends as interrupted, as 10m; at least 6s. 0: never, it runs to its end.", read: duration(func(c *Config) *time.Duration { return &c.AbandonAfter })},
	{Name: "BOR_UNSAVED_TTL", Group: "Answers", Default: "168h", Help: "A conversation is forgotten so long after its last turn. 0: never.", read: span(func(c *Config) *time.Duration { return &c.UnsavedTTL })},

	{Name: "BOR_GIT_SOURCES", Group: "Import", Help: "Addresses of git repositories, separated by commas; they serve while no git source is registered in the browser. Empty: none.", read: commas(func(c *Config) *[]string { return &c.GitSources })},
	{Name: "BOR_SYNC_EVERY", Group: "Import", Default: "0", Help: "Sync all sources so long after the last sync began, as 6h; one process does it for all. 0: only when asked.", read: span(func(c *Config) *time.Duration { return &c.SyncEvery })},
	{Name: "BOR_UPLOAD_MAX_MB", Group: "Import", Default: "200", Help: "Largest archive that can be uploaded, and the most that its files may have together, in MB. 0: no limit.", read: megabytes(func(c *Config) *int64 { return &c.UploadMaxBytes })},
	{Name: "BOR_IMPORT_EXTENSIONS", Group: "Import", Default: defaultExtensions, Help: "Extensions and extension-less names to index, separated by commas, as md,yaml,Dockerfile.", read: extensions},
	{Name: "BOR_MAX_FILE_MB", Group: "Import", Default: "10", Help: "Larger files are skipped and reported, in MB. 0: no limit.", read: megabytes(func(c *Config) *int64 { return &c.MaxFileBytes })},
	{Name: "BOR_EMBED_CONCURRENCY", Group: "Import", Default: "4", Help: "Requests to the embedding model at once, 1 to 64: as many as its server works on together.", read: number(func(c *Config) *int { return &c.EmbedConcurrency }, 1, 64)},
	{Name: "BOR_CHUNK_TARGET_CHARS", Group: "Import", Default: "2000", Help: "Length that chunks aim at, in characters; never above BOR_CHUNK_MAX_CHARS.", read: number(func(c *Config) *int { return &c.ChunkTargetChars }, 100, 100000)},
	{Name: "BOR_CHUNK_OVERLAP_CHARS", Group: "Import", Default: "200", Help: "Overlap of the parts of a long section, in characters. 0: none.", read: count(func(c *Config) *int { return &c.ChunkOverlap })},
	{Name: "BOR_CHUNK_MAX_CHARS", Group: "Import", Default: "1200", Help: "No chunk is longer, in characters, 100 to 100000.", read: number(func(c *Config) *int { return &c.ChunkMaxChars }, 100, 100000)},

	{Name: "BOR_SOURCES_DIR", Group: "Git", Help: "Folder for copies of git repositories; they can be removed at any time and are fetched anew. Empty: sources, in BOR_DATA_DIR.", read: text(func(c *Config) *string { return &c.SourcesDir })},
	{Name: "BOR_GIT_TOKENS", Group: "Git", Help: "Logins for repositories over https, separated by commas: host=token, host=user:token, or with the beginning of a path, as git.example.org/team=token. Empty: none.", Secret: true, read: gitTokens},
	{Name: "BOR_GIT_SSH_KEY_FILE", Group: "Git", Help: "A private key without a passphrase for repositories over ssh; no other key and no agent is used. Empty: none.", read: file(func(c *Config) *string { return &c.Git.SSHKeyFile })},
	{Name: "BOR_GIT_SSH_KNOWN_HOSTS_FILE", Group: "Git", Help: "The keys of ssh hosts, as ssh-keyscan prints them; other hosts are refused. Empty: the machine's own list, /etc/ssh/ssh_known_hosts.", read: file(func(c *Config) *string { return &c.Git.SSHKnownHosts })},
	{Name: "BOR_GIT_CA_FILE", Group: "Git", Help: "Certificates (PEM) to trust for repositories over https, instead of the machine's. Empty: the machine's.", read: file(func(c *Config) *string { return &c.Git.CAFile })},
	{Name: "BOR_GIT_ALLOW_LOCAL", Group: "Git", Default: "false", Help: "Whether repositories on this machine's disk may be sources, as file:///path or /path: true or false.", read: boolean(func(c *Config) *bool { return &c.Git.AllowLocal })},
	{Name: "BOR_FORGES", Group: "Git", Help: "What git hosts run, for links to files on the web, as git.example.org=gitlab, separated by commas: github, gitlab, gitea, forgejo, bitbucket, bitbucket-server, sourcehut, cgit, or none for no links. Empty: told by the hosts' names.", read: forges},
	{Name: "BOR_GIT_MAX_MB", Group: "Git", Default: "2048", Help: "A repository whose copy is larger is refused, in MB. 0: no limit.", read: megabytes(func(c *Config) *int64 { return &c.Git.MaxBytes })},
	{Name: "BOR_GIT_TIMEOUT", Group: "Git", Default: "30m", Help: "Longest time for fetching a repository. 0: no limit.", read: duration(func(c *Config) *time.Duration { return &c.Git.Timeout })},
	{Name: "BOR_GIT_IDLE_TIMEOUT", Group: "Git", Default: "60s", Help: "Longest silence of a git server. 0: no limit.", read: duration(func(c *Config) *time.Duration { return &c.Git.Idle })},
}
