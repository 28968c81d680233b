package llm_test

import (
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"testing"
	"time"

	"bor/internal/llm"
	"bor/internal/testkit"
)

func TestComplete(t *testing.T) {
	m := testkit.NewModel(t)
	fail := testkit.Fail(503, "{}")
	fail.Lite = true
	answer := testkit.Think("hm", " A note about DNS.\n")
	answer.Lite = true
	m.Queue(fail, answer, fail)
	c := llm.NewClient(patient(m))
	var retries []llm.Retry
	ctx := llm.OnRetry(t.Context(), func(r llm.Retry) error { retries = append(retries, r); return nil })
	text, err := c.Complete(ctx, ask)
	if err != nil || text != "A note about DNS." || len(retries) != 1 {
		t.Errorf("%q, %v, %+v", text, err, retries)
	}
	if req := m.Requests()[0]; req.Model != "lite" {
		t.Errorf("model %q", req.Model)
	}
	stop := errors.New("stop")
	ctx = llm.OnRetry(t.Context(), func(llm.Retry) error { return stop })
	if _, err := c.Complete(ctx, ask); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

func TestEmbed(t *testing.T) {
	m := testkit.NewModel(t)
	m.Dimension = 32
	cfg := patient(m)
	cfg.Dimension = 32
	c := llm.NewClient(cfg)
	texts := make([]string, 130)
	for i := range texts {
		texts[i] = "text number " + strconv.Itoa(i*i)
	}
	vectors, err := c.Embed(t.Context(), texts)
	if err != nil || len(vectors) != 130 || c.Dimension() != 32 || c.Model() != "embed" {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	alone, err := c.Embed(t.Context(), texts[100:101])
	if err != nil || !reflect.DeepEqual(alone[0], vectors[100]) {
		t.Errorf("the order of texts is not the order of vectors: %v", err)
	}
	if n := len(m.Requests()); n != 4 {
		t.Errorf("%d requests, want 64 + 64 + 2, and 1", n)
	}
	if none, err := c.Embed(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
}

func TestEmbedChecksWhatComesBack(t *testing.T) {
	m := testkit.NewModel(t)
	cfg := patient(m)
	cfg.Dimension = 2
	answer := func(body string) {
		m.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(body)) })
	}
	c := llm.NewClient(cfg)
	for _, c2 := range []struct {
		name, body string
		want       [][]float32
		public     []string
	}{
		{"by index", `{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]}`, [][]float32{{1, 2}, {3, 4}}, nil},
		{"no index", `{"data":[{"embedding":[1,2]},{"embedding":[3,4]}]}`, [][]float32{{1, 2}, {3, 4}}, nil},
		{"mad index", `{"data":[{"index":7,"embedding":[1,2]},{"index":-1,"embedding":[3,4]}]}`, [][]float32{{1, 2}, {3, 4}}, nil},
		{"wrong dimension", `{"data":[{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[1,2,3]}]}`, nil, []string{"3 numbers", "BOR_EMBEDDING_DIM is 2", "BOR_EMBEDDING_DIM=3"}},
		{"too few", `{"data":[{"index":0,"embedding":[1,2]}]}`, nil, []string{"1 vectors for 2 texts", "BOR_EMBED_MODEL"}},
		{"not JSON", `hello`, nil, []string{"isn't a model's reply"}},
		{"another shape", `{"data":[{"embedding":"AAAA"},{}]}`, nil, []string{"isn't a model's reply"}},
	} {
		t.Run(c2.name, func(t *testing.T) {
			answer(c2.body)
			got, err := c.Embed(t.Context(), []string{"a", "b"})
			if c2.public != nil {
				wantPublic(t, err, -1, c2.public...)
			} else if err != nil || !reflect.DeepEqual(got, c2.want) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

func TestEmbedRetriesAndWaits(t *testing.T) {
	m := testkit.NewModel(t)
	var tries int
	m.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte(`{"data":[{"index":0,"embedding":[1,2]}]}`))
	})
	cfg := patient(m)
	cfg.Dimension = 2
	var retries int
	ctx := llm.OnRetry(t.Context(), func(llm.Retry) error { retries++; return nil })
	if _, err := llm.NewClient(cfg).Embed(ctx, []string{"a"}); err != nil || retries != 1 {
		t.Errorf("%v, %d retries", err, retries)
	}

	gone := make(chan struct{})
	m.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	})
	cfg.FirstByte = 20 * time.Millisecond
	_, err := llm.NewClient(cfg).Embed(t.Context(), []string{"a"})
	wantPublic(t, err, 0, "gave no answer")
	<-gone
}

func TestEmbeddingsElsewhere(t *testing.T) {
	chat, embed := testkit.NewModel(t), testkit.NewModel(t)
	for _, c := range []struct{ key, header string }{{"ek", "Bearer ek"}, {"", ""}} {
		cfg := patient(chat)
		cfg.EmbedBaseURL, cfg.EmbedAPIKey = embed.URL, c.key
		if _, err := llm.NewClient(cfg).Embed(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
		requests := embed.Requests()
		if got := requests[len(requests)-1].Header.Get("Authorization"); got != c.header {
			t.Errorf("Authorization %q, want %q: the chat's key must not go to another server", got, c.header)
		}
	}
	cfg := patient(chat)
	cfg.EmbedBaseURL = embed.URL
	embed.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	_, err := llm.NewClient(cfg).Embed(t.Context(), []string{"a"})
	wantPublic(t, err, 401, "Set BOR_EMBED_API_KEY")
}

func TestProbe(t *testing.T) {
	m := testkit.NewModel(t)
	m.Dimension = 12
	c := llm.NewClient(patient(m))
	p := c.Probe(t.Context())
	if p.ModelsErr != nil || !reflect.DeepEqual(p.Models, []string{"embed", "lite", "turbo"}) || p.EmbedErr != nil || p.Dimension != 12 {
		t.Errorf("%+v", p)
	}
	cfg := patient(m)
	cfg.BaseURL, cfg.EmbedBaseURL = "", m.URL
	if p := llm.NewClient(cfg).Probe(t.Context()); p.ModelsErr != nil || len(p.Models) != 3 {
		t.Errorf("without a chat endpoint: %+v", p)
	}
	m.Handle("/v1/models", http.NotFound)
	m.Handle("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	before := len(m.Requests())
	p = c.Probe(t.Context())
	wantPublic(t, p.ModelsErr, 404, "BOR_LLM_BASE_URL")
	wantPublic(t, p.EmbedErr, 503, "503")
	if len(m.Requests()) != before+2 {
		t.Error("a probe tries once")
	}
}
