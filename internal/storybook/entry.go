package storybook

import (
	"strings"

	"bor/internal/chat"
	"bor/views"
)

// outside is the frame for those who aren't signed in.
func outside(view View) View {
	return with(func(s *views.Shell) { s.Nav, s.Logout, s.NewChat = nil, false, false }, view)
}

func login(p views.LoginPage) View {
	p.Heading = "Log in"
	return outside(page(views.Login, p))
}

var refusedLogin = login(views.LoginPage{Next: "/", Error: "That is not the password. Try again."})

func problem(status int, heading, text string, actions ...views.Link) View {
	return outside(page(views.ProblemScreen, views.ProblemPage{Status: status, Heading: heading, Text: text, Actions: actions}))
}

// emptyChat is a conversation that hasn't begun.
func emptyChat(suggestions ...string) views.ChatPage {
	p := conversationPage()
	p.Welcome, p.Intro, p.Suggestions = "What would you like to know?", "Answers come from your own files, and show their exact bytes to copy.", suggestions
	p.Composer.Conversation = ""
	return p
}

func offline(s *views.Shell) { s.Offline = true }

func entry() []Story {
	const way, start = "The way in", "The first page"
	toChat := views.Link{Text: "To the chat", URL: "/"}
	bare, alone, refused, away := emptyChat(), emptyChat("Show me the quadlet for gufo.", "Which port does unbound use?", "What did I do last time the disk filled up?"), emptyChat("Why?"), conversationPage(endings()[:2]...)
	bare.Intro = ""
	alone.Model = "No model connected: the built-in librarian answers with passages from your files. Searches by meaning are off until `bor reembed` has run."
	refused.Composer.Error = "A question may have 16 000 characters; this one has 24 113. Nothing was sent. Shorten it and send it again."
	refused.Composer.Draft = strings.Repeat("And what about the owl? ", 60)
	away.Composer.Disabled = true
	busy := conversationPage(turn(12, question, chat.Record{State: chat.Running}))
	busy.Composer.Error = "An answer is being written. Wait for its end, or stop it, then send this again."
	return []Story{
		{"login", way, "The form.", login(views.LoginPage{Next: "/"})},
		{"login-refused", way, "A wrong password.", refusedLogin},
		{"login-limited", way, "Too many tries.", login(views.LoginPage{Error: "Too many tries from your address. Wait 14 minutes and try again."})},
		{"login-gate", way, "A page that is for those who are signed in.", login(views.LoginPage{Text: "This page is for those who are signed in.", Next: "/document?source=homelab&path=dns.md"})},
		{"login-offered", way, "A page for everyone, with a way in.", with(func(s *views.Shell) { s.Login = true }, problem(404, "Not here", "There is nothing at this address."))},
		{"problem-not-found", way, "No such page.", problem(404, "Not here", "There is no page at this address. It may have been mistyped, or be from another version.", toChat)},
		{"problem-forbidden", way, "A request from another site.", problem(403, "Forbidden", "This request came from another site, so it was not carried out. Open the page here and try again. Behind a reverse proxy, check that it passes the Host header on unchanged.", toChat)},
		{"problem-ours", way, "A fault of ours.", problem(500, "Something went wrong", "Something went wrong on the server. The details are in its log; trying again may help.", toChat, views.Link{Text: "Try again", URL: "?", Title: "Load this page again"})},
		{"problem-read-only", way, "The database takes no writes.", problem(507, "Nothing can be stored", "The database takes no writes just now: its disk is full, or it is read-only. Nothing was changed. Make room or look at PostgreSQL’s log, then send this again.", toChat)},
		{"problem-offline", way, "The database is away: the page waits and goes on by itself.", with(offline, problem(503, "One moment", "The database can’t be reached. Nothing is lost; this works again when it is back."))},

		{"chat-empty", start, "No conversation, questions to begin with.", page(views.Chat, emptyChat("Show me the quadlet for gufo.", "Which port does unbound use?", "What did I do last time the disk filled up?"))},
		{"chat-bare", start, "No conversation and nothing to suggest.", page(views.Chat, bare)},
		{"chat-librarian", start, "No model is connected.", page(views.Chat, alone)},
		{"chat-suggestions", start, "Suggestions of every length and script.", page(views.Chat, emptyChat("Why?", rtl, strings.Repeat("A question that goes on ", 30), strings.Repeat("w", 300)))},
		{"chat-refused", start, "A question was refused; its words are still there.", page(views.Chat, refused)},
		{"chat-busy", start, "A second question while an answer is being written.", page(views.Chat, busy)},
		{"chat-offline", start, "The knowledge base is offline: banner, no composer.", with(offline, page(views.Chat, away))},
	}
}
