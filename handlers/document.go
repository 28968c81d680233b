package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"bor/internal/kb"
	"bor/internal/markdown"
	"bor/views"
)

// pageLines is how many lines the viewer shows at a time (DEC7).
const pageLines = 2000

// showDocument is the viewer, as a page or as the content of the window over the
// chat (CH9). A Markdown document is rendered unless lines are asked for.
func (s *Server) showDocument(c echo.Context) error {
	source, p := c.QueryParam("source"), c.QueryParam("path")
	doc, err := s.Documents.ByPath(c.Request().Context(), source, p)
	status, view := http.StatusOK, views.Document{}
	switch {
	case errors.Is(err, kb.ErrNotFound):
		status, view = http.StatusNotFound, views.Document{Source: source, Path: p, Gone: true}
	case err != nil:
		return err
	default:
		view = ViewDocument(doc, c.QueryParams(), s.imagesOf(c.Request().Context(), doc))
	}
	if isPartial(c) {
		return s.render(c, status, views.DocumentContent(view))
	}
	title := view.Title
	if title == "" {
		title = p
	}
	return s.render(c, status, views.DocumentViewer(views.DocumentPage{Shell: s.signedInShell(c, title), Document: view}))
}

// showRawDocument is the document's exact text.
func (s *Server) showRawDocument(c echo.Context) error {
	doc, err := s.Documents.ByPath(c.Request().Context(), c.QueryParam("source"), c.QueryParam("path"))
	if errors.Is(err, kb.ErrNotFound) {
		return errNoDocument
	}
	if err != nil {
		return err
	}
	if doc.Kind == kb.KindImage {
		return s.sendImage(c, doc.Path, doc.Image.SHA256)
	}
	return serveText(c, doc.Path, doc.Content)
}

// maxImageLookups is how many images of a document are looked for; more are links.
const maxImageLookups = 200

// imagesOf resolves a Markdown document's own images to indexed ones of its source.
// While images are off there are none.
func (s *Server) imagesOf(ctx context.Context, doc kb.Document) func(dest string) (string, bool) {
	if !s.AnswerImages {
		return nil
	}
	known := map[string]string{}
	return func(dest string) (string, bool) {
		p, _, ok := kb.Linked(doc.Path, dest)
		if !ok {
			return "", false
		}
		address, asked := known[p]
		if !asked && len(known) < maxImageLookups {
			image, err := s.Documents.ByPath(ctx, doc.Source, p)
			if err == nil && image.Image.SHA256 != "" {
				address = documentURL("/document/raw", image, nil)
			}
			known[p] = address
		}
		return address, address != ""
	}
}

// ViewDocument shows a document as the address asks: lines to mark, or a page of
// lines, or view=lines. image resolves a Markdown document's images.
func ViewDocument(doc kb.Document, query url.Values, image func(dest string) (string, bool)) views.Document {
	v := views.Document{Source: doc.Source, Path: doc.Path, Title: doc.Title, Total: doc.Lines,
		RawURL: documentURL("/document/raw", doc, nil), Summary: doc.Summary, Meta: facts(doc)}
	if doc.Kind == kb.KindImage {
		v.Image = &views.Figure{Caption: v.Title, Width: doc.Image.Width, Height: doc.Image.Height}
		if doc.Image.SHA256 != "" {
			v.Image.URL = v.RawURL
		}
		return v
	}
	first, last, ranged := lineRange(query.Get("lines"), doc.Lines)
	if origin, ok := doc.Origin(first, last); ok {
		v.Origin = &views.Link{Text: "View on " + origin.Forge, URL: origin.URL, Title: "The file at commit " + doc.Revision + ", which was indexed"}
	}
	page, err := strconv.Atoi(query.Get("page"))
	paged := err == nil && page >= 1 && page <= (doc.Lines+pageLines-1)/pageLines
	if markdownDocument(doc.Path) {
		v.RenderedURL = documentURL("/document", doc, nil)
		v.CodeURL = documentURL("/document", doc, url.Values{"view": {"lines"}})
	}
	if markdownDocument(doc.Path) && !ranged && !paged && query.Get("view") != "lines" {
		v.First, v.Last = 1, doc.Lines
		v.RenderedURL = ""
		v.Rendered = views.SafeHTML(markdown.RenderDocument(doc.Content, markdown.DocOptions{Link: relative(doc), Image: image}))
		return v
	}
	v.CodeURL = ""
	if ranged || !paged {
		page = (max(first, 1)-1)/pageLines + 1
	}
	from := (page-1)*pageLines + 1
	to := min(from+pageLines-1, doc.Lines)
	v.First, v.Last = min(from, doc.Lines), to
	if doc.Lines == 0 {
		return v
	}
	beside := func(page int) string {
		return documentURL("/document", doc, url.Values{"page": {strconv.Itoa(page)}})
	}
	if from > 1 {
		v.PreviousURL = beside(page - 1)
	}
	if to < doc.Lines {
		v.NextURL = beside(page + 1)
	}
	text := kb.SplitLines(doc.Content).Slice(from, to)
	for i, html := range markdown.Code(text, markdown.Lang(doc.Path)) {
		n := from + i
		v.Lines = append(v.Lines, views.CodeLine{Number: n, HTML: views.SafeHTML(html), Hit: ranged && n >= first && n <= last})
	}
	return v
}

// lineRange reads "12-40" or "12"; a range that starts past the end, or none, is
// not one.
func lineRange(text string, total int) (first, last int, ok bool) {
	a, b, two := strings.Cut(text, "-")
	first, err := strconv.Atoi(a)
	if err != nil || first < 1 || first > total {
		return 0, 0, false
	}
	if last = first; two {
		if last, err = strconv.Atoi(b); err != nil || last < first {
			return 0, 0, false
		}
	}
	return first, min(last, total), true
}

func facts(doc kb.Document) []views.Fact {
	all := []views.Fact{{Name: "Source", Value: doc.Source}, {Name: "Path", Value: doc.Path, Mono: true}}
	if doc.Revision != "" {
		all = append(all, views.Fact{Name: "Commit", Value: doc.Revision, Mono: true})
	}
	if !doc.Date.IsZero() {
		name := "Changed"
		if doc.Revision != "" {
			name = "Commit date"
		}
		all = append(all, views.Fact{Name: name, Value: doc.Date.UTC().Format("2006-01-02 15:04 UTC")})
	}
	if !doc.Indexed.IsZero() {
		all = append(all, views.Fact{Name: "Indexed", Value: doc.Indexed.UTC().Format("2006-01-02 15:04 UTC")})
	}
	if strings.HasPrefix(doc.Encoding, "utf-16") {
		all = append(all, views.Fact{Name: "Encoding", Value: "decoded from " + strings.ToUpper(doc.Encoding)})
	}
	return append(all, views.Fact{Name: "Characters", Value: strconv.Itoa(doc.Chars)})
}

func markdownDocument(p string) bool {
	ext := strings.ToLower(path.Ext(p))
	return ext == ".md" || ext == ".markdown"
}

// relative resolves a Markdown document's own links to other documents of its
// source, at their headings and lines; anything that leaves the source stays what
// it is.
func relative(doc kb.Document) func(dest string) (string, bool) {
	return func(dest string) (string, bool) {
		p, fragment, ok := kb.Linked(doc.Path, dest)
		if !ok {
			return "", false
		}
		to := documentURL("/document", kb.Document{Source: doc.Source, Path: p}, nil)
		switch {
		case fragment == "":
		case markdownDocument(p):
			to += "#" + markdown.Anchor(fragment)
		default:
			to += "#" + (&url.URL{Fragment: fragment}).EscapedFragment()
		}
		return to, true
	}
}

func documentURL(base string, doc kb.Document, more url.Values) string {
	q := url.Values{"source": {doc.Source}, "path": {doc.Path}}
	for k, v := range more {
		q[k] = v
	}
	return base + "?" + q.Encode()
}

// document is the document with a name, or a fault that says that there is none.
func (s *Server) document(ctx context.Context, source, path string) (kb.Document, error) {
	doc, err := s.Documents.ByPath(ctx, source, path)
	if errors.Is(err, kb.ErrNotFound) {
		err = errNoDocument
	}
	return doc, err
}
