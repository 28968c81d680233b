// Package views holds every page, part and stream fragment as a templ component,
// and the typed page models they take (CH1).
//
// It decides nothing but presentation: no service, no query, no import beyond the
// standard library and templ. Text is escaped by templ. HTML that other packages
// rendered comes in as SafeHTML and is written in one place, rawhtml.go; nothing
// else here writes unescaped text (SEC1).
//
// Everything works without script: forms post, links lead to pages, a running
// answer's page reloads itself. Script-only controls carry the class needs-js and
// stay hidden until the script has started. Attributes of htmx stand only on the
// static shell, each with the response's nonce; the conversation's content is an
// hx-ignore region, and streamed fragments carry none (DEC5).
//
// Client-side rendering and a component per colour scheme were rejected: the
// server owns the bytes, so it owns their rendering, and a theme is nine colours.
package views
