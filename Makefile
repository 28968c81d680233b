# Two commands do everything: `make run` to use it, `make test` to test it.
# Both install and start what they need inside this folder; `make help` lists the rest.

SHELL      := /bin/bash
GO         ?= go
VERSION    := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
TOOL       := $(GO) tool -modfile=tools/go.mod

.PHONY: help run build test browser storybook faults generate verify vuln fuzz bench clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: build ## Start the product with a sample knowledge base; Ctrl-C stops everything
	@exec bin/bor serve --first-run

build: ## Build bin/bor
	@test -e bin/bor || echo "building bor (the first time takes about half a minute)"
	@$(GO) build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/bor ./cmd/bor

test: browser ## Run every test, the browser journeys included
	$(GO) test -timeout 20m -cover ./...

browser: ## Install what the browser journeys need
	@scripts/browser.sh

storybook: ## Show every page in every state with canned data, without a database
	@echo "building the story book (the first time takes about half a minute)"
	@$(GO) run ./cmd/storybook

faults: ## Kill, restart and stall everything at random moments and count what became of each question (minutes)
	$(GO) test -tags faults -count=1 -timeout 20m -v ./e2e/faults

generate: ## Make the generated code anew (templ, sqlc)
	$(TOOL) templ generate -log-level warn
	$(TOOL) sqlc generate
	gofmt -w db

verify: ## Check that generated code is current, vet, lint, and the import rules
	scripts/generated.sh
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(GO) test ./internal/archtest

vuln: ## Check dependencies against the vulnerability database (needs its server)
	$(TOOL) govulncheck ./...

FUZZTIME ?= 20s
fuzz: ## Run every fuzz target for FUZZTIME
	scripts/fuzz.sh $(FUZZTIME)

bench: browser ## Run the benchmarks: each figure beside its baseline of the same run (on a quiet machine)
	$(GO) test -run '^$$' -bench . -benchmem ./internal/...
	$(GO) test -tags bench -timeout 60m -count=1 -run '^TestBench' -v ./e2e

clean: ## Remove what was built and what the tests brought; data/ with the knowledge base stays
	rm -rf bin e2e/node_modules e2e/screenshots data/test-postgres data/faults-postgres data/nginx
