package handlers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/fault"
	"bor/internal/kb"
)

var errNoDocument = fault.New(fault.NotFound, "This document is not in the knowledge base. It may have been renamed, removed, or not imported yet.")

// documentContent is a document on the wire: its exact text, and what is known of it.
type documentContent struct {
	Source   string `json:"source"`
	Path     string `json:"path"`
	Kind     string `json:"kind"` // "text", or "image", which has no content
	Title    string `json:"title"`
	Content  string `json:"content"`
	SHA256   string `json:"sha256"` // hex, of the content's UTF-8 bytes
	Lines    int    `json:"lines"`
	Chars    int    `json:"chars"`
	Encoding string `json:"encoding"`           // of the file: utf-8, utf-8-bom, utf-16le or utf-16be
	Revision string `json:"revision,omitempty"` // the commit that it was indexed at
	Date     string `json:"date,omitempty"`     // when it was changed last
	Indexed  string `json:"indexed_at,omitempty"`
	Summary  string `json:"summary,omitempty"`
}

// apiDocument is the document that source and path name.
func (s *Server) apiDocument(c echo.Context) error {
	source, path := c.QueryParam("source"), c.QueryParam("path")
	if source == "" || path == "" {
		return fault.New(fault.Invalid, "Name the document by the query parameters source and path.")
	}
	doc, err := s.Documents.ByPath(c.Request().Context(), source, path)
	if errors.Is(err, kb.ErrNotFound) {
		return errNoDocument
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(doc.Content))
	body := documentContent{Source: doc.Source, Path: doc.Path, Kind: doc.Kind, Title: doc.Title, Content: doc.Content, SHA256: hex.EncodeToString(sum[:]),
		Lines: doc.Lines, Chars: doc.Chars, Encoding: doc.Encoding, Revision: doc.Revision, Date: wireTime(doc.Date), Indexed: wireTime(doc.Indexed), Summary: doc.Summary}
	return sendJSON(c, http.StatusOK, body)
}

// wireTime is a time as JSON clients get it; empty for none.
func wireTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
