// Package storybook shows every view in every state with canned data: empty, full,
// failed and hostile. People look at it with `make storybook`; the browser suite
// takes its pictures and looks for what breaks (QA1, QA2).
//
//	story.go     what a story is, and all of them
//	book.go      the server
//	canned.go    the records and documents that stories are told with
//	turns.go     answers in every state (CH4), panels
//	cards.go     what tool calls brought (AG8)
//	documents.go the viewer (CH9)
//	sources.go   what is indexed, the registry, syncs (AD2)
//	questions.go the query log (AD2)
//	entry.go     login, problems, the empty and the offline chat
//	hostile.go   every string of every model, filled with text that attacks
//	theme.go     the same in other colours (AD2)
//
// A new view gets one line in its file for each state that people can meet,
//
//	{"sources-empty", "Sources", "Nothing is indexed yet.", page(views.Sources, views.SourcesPage{…})},
//
// and one in hostile.go, where its model needs no values. A test fails while a
// component of package views is in no story.
//
// Stories are told with records and documents wherever the product makes the page
// model of one, by the same functions, so that they can't show what the product
// wouldn't. Middleware, frame and assets are those of package handlers.
//
// It is a program of its own and no subcommand of bor: users have no use for it,
// and the product doesn't carry its data. A tool that renders components outside
// of their pages was rejected: most of what breaks is how they stand together.
package storybook
