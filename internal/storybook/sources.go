package storybook

import (
	"fmt"
	"strings"

	"bor/views"
)

// moment is a while ago.
var moment = views.Moment{Text: "4 min ago", Exact: "2026-03-14 04:00:00 UTC", ISO: "2026-03-14T04:00:00Z"}

// The sync in its states.
var (
	noSync     = views.Sync{}
	goodSync   = views.Sync{Headline: "The last sync ended well", Detail: "4 added, 1 removed", At: moment}
	badSync    = views.Sync{Headline: "The last sync failed for 1 of 2 sources", Tone: "error", Detail: "2 added", At: moment, Lines: []string{"forge: the repository's host can't be reached: check its address, and whether this machine has a network. Its documents stay as they are. Put right what is wrong; the next sync tries it again.", "homelab/" + deepPath + ": the file cannot be read: permission denied"}}
	stopped    = views.Sync{Headline: "The last sync was stopped", Tone: "warn", Detail: "12 updated", At: moment}
	waiting    = views.Sync{Busy: true, Waiting: true, Headline: "A sync is about to begin"}
	syncing    = views.Sync{Busy: true, Headline: "Syncing homelab", Detail: "812 of 20 000 files · 143 a second · 2 min left", Current: "homelab/" + deepPath, Seen: 812, Total: 20000}
	ending     = views.Sync{Busy: true, Stopping: true, Headline: "Stopping after this document", Detail: "3 files", Current: "homelab/dns.md"}
	refused    = "An import is going on already: box, process 812 runs it since 2026-03-14 04:00:00. Wait for its end, or stop it there."
	syncStates = []struct {
		name, shows string
		state       views.Sync
	}{
		{"running", "How far a sync is, with a long path at hand.", syncing},
		{"waiting", "A sync that nobody has taken up yet.", waiting},
		{"stopping", "Stop was pressed.", ending},
		{"failed", "A sync that failed in part, with what went wrong.", badSync},
		{"stopped", "A sync that was stopped.", stopped},
	}
)

func sources() (all []Story) {
	const group = "Sources"
	stats := views.SourceStats{Documents: 20312, Chunks: 81944, Skipped: 5, Last: moment}
	for _, s := range syncStates {
		all = append(all, Story{"sources-" + s.name, group, s.shows, page(views.Sources, views.SourcesPage{Stats: stats, Sync: s.state, Table: documentTable()})})
	}
	long := []views.SkippedFile{{Path: "secrets/.env", Reason: "a file of environment variables: held back as a secret"}, {Path: deepPath, Reason: "the file is not UTF-8: byte 0xFC at offset 4, line 2; convert it to UTF-8"}, {Path: rtl, Reason: rtl}}
	summary := views.Field{ID: "summary", Name: "summary", Label: "Summary", Value: "Quadlet of gufo, the owl that watches the feeds. " + rtl, Hint: "What the model and searches read of the document besides its text.", Rows: 6}
	wrong := summary
	wrong.Value, wrong.Error = strings.Repeat("x", 400), "A summary has at most 2000 characters; this one has 2400."
	return append(all,
		Story{"sources", group, "What is indexed: the cards, the table, what was left out.", page(views.Sources, views.SourcesPage{Stats: stats, Sync: goodSync, Table: documentTable(),
			Skipped: []views.SkippedCount{{Source: "homelab", Files: 4, URL: "/git-sources/1/skipped"}, {Source: rtl, Files: 1, URL: "/git-sources/2/skipped"}}})},
		Story{"sources-empty", group, "Nothing is indexed yet.", page(views.Sources, views.SourcesPage{Stats: views.SourceStats{Last: views.Moment{Text: "never"}}, Sync: noSync, Table: views.DocumentTable{Columns: columns()}})},
		Story{"sources-nothing-found", group, "A search without results.", page(views.Sources, views.SourcesPage{Stats: stats, Sync: goodSync, Table: views.DocumentTable{Text: "jellyfin", Source: "homelab", Sources: []string{"homelab"}, Columns: columns()}})},
		Story{"sources-skipped", group, "Files that were left out, with reasons, on a page in the middle.", page(views.Skipped, views.SkippedPage{Source: "homelab", Total: 203, Files: long, Pager: views.Pager{Text: "101–200 of 203", PreviousURL: "?page=1", NextURL: "?page=3"}, EditURL: "/git-sources/1/edit"})},
		Story{"sources-skipped-none", group, "Nothing was left out.", page(views.Skipped, views.SkippedPage{Source: "homelab", EditURL: "/git-sources/1/edit"})},
		Story{"summary", group, "A document's summary, written by a person and just saved.", page(views.Summary, views.SummaryPage{Source: "homelab", Path: "quadlets/gufo.container", Title: "gufo", Field: summary, Edited: true, Done: "Saved.", Document: "/document?source=homelab&path=x"})},
		Story{"summary-refused", group, "A summary that is too long, and a model that is away.", page(views.Summary, views.SummaryPage{Source: "homelab", Path: deepPath, Title: rtl, Field: wrong, Problem: "The model that writes summaries can't be reached. The old summary stays.", Document: "/document?source=homelab&path=x"})},
	)
}

func columns() []views.Column {
	return []views.Column{{Label: "Source", URL: "?sort=source", Sort: "ascending"}, {Label: "Path", URL: "?sort=path"}, {Label: "Title", URL: "?sort=title"}, {Label: "Lines", URL: "?sort=lines", Num: true},
		{Label: "Chunks", URL: "?sort=chunks", Num: true}, {Label: "Indexed", URL: "?sort=indexed"}}
}

func documentTable() views.DocumentTable {
	t := views.DocumentTable{Sources: []string{"homelab", rtl}, Order: "source", Columns: columns(), Total: 20312, First: 101, PreviousURL: "?page=1", NextURL: "?page=3"}
	for i, path := range []string{"quadlets/gufo.container", deepPath, "notes/" + rtl + ".md", "logs/ups-events.txt"} {
		t.Rows = append(t.Rows, views.DocumentRow{Source: "homelab", Path: path, Title: strings.Repeat("A title of some length ", 1+6*(i%2)), Lines: 12 << (5 * i), Chunks: 1 + i*300, Indexed: moment,
			URL: "/document?source=homelab&path=x", SummaryURL: fmt.Sprintf("/sources/summary?source=homelab&path=%d", i), Edited: i == 1})
	}
	return t
}

func registry() []Story {
	const group = "Source registry"
	add, upload := sourceForm("add"), views.UploadForm{Action: "/git-sources/upload", Name: views.Field{ID: "upload-name", Name: "name", Label: "Name", Hint: "Empty: the file’s name."}, MaxBytes: "209715200"}
	full := views.RegistryPage{Sync: goodSync, Sources: sourceRows(), Add: add, Upload: upload, Host: "box", MaxUpload: "200 MB"}
	empty, busy, bad, settings := full, full, full, full
	empty.Sources, empty.Sync = nil, noSync
	busy.Sync, busy.Problem = syncing, refused
	bad.Add.Location.Value, bad.Add.Location.Error = "ext::sh -c x", "The repository's address has two colons, which would start a program. Write it as https://host/path or ssh://user@host/path."
	bad.Add.Name.Value, bad.Add.Name.Error = "homelab", "Another source has this name. Choose another one, as homelab-2."
	bad.Add.KindError = "Choose what the source is."
	bad.Upload.File, bad.Upload.Name.Error = "The file is no archive that can be read: take zip, or tar plain or compressed.", "Another source has this name."
	settings.Settings = true
	replace := upload
	replace.Replace, replace.Action = true, "/git-sources/3/upload"
	edit := views.EditPage{Name: "forge", Kind: "Git repository", Place: "https://git.example.org/house/forge.git", Action: "/git-sources/2", Form: sourceForm("edit"), Git: true, RemoveURL: "/git-sources/2/remove"}
	editArchive := views.EditPage{Name: rtl, Kind: "Archive", Place: deepPath, Action: "/git-sources/3", Form: sourceForm("edit"), Upload: &replace, RemoveURL: "/git-sources/3/remove"}
	editArchive.Form.Ignore.Error = "A path has a line break."
	return []Story{
		{"registry", group, "Sources of every kind and in every state.", page(views.Registry, full)},
		{"registry-empty", group, "No source yet.", page(views.Registry, empty)},
		{"registry-busy", group, "A second sync was refused while one runs.", page(views.Registry, busy)},
		{"registry-refused", group, "Both forms with something wrong in every field.", page(views.Registry, bad)},
		{"registry-settings", group, "Sources that come from BOR_GIT_SOURCES.", page(views.Registry, settings)},
		{"registry-edit", group, "A git source's form.", page(views.EditSource, edit)},
		{"registry-edit-archive", group, "An archive's form, with another file to take its place.", page(views.EditSource, editArchive)},
		{"registry-remove", group, "The question before a source is removed.", page(views.Confirm, views.ConfirmPage{Title: "Remove the source forge?",
			Text:   "The next sync removes its 312 documents from the knowledge base. The files themselves stay where they are. Until then you can keep it after all.",
			Action: "/git-sources/2/remove", Button: "Remove", Back: "/git-sources"})},
		{"registry-stream", group, "What the stream of a sync puts into the page at its end.", parts("The parts of a page that a sync changes", part{"Sync", views.SyncState(badSync)})},
	}
}

func sourceForm(id string) views.SourceForm {
	field := func(name, label, hint string, rows int) views.Field {
		return views.Field{ID: id + "-" + name, Name: name, Label: label, Hint: hint, Rows: rows, Mono: true}
	}
	return views.SourceForm{Kind: "git", Location: field("location", "Address or directory", "https://host/owner/repository.git, or a directory from the root.", 0), Name: field("name", "Name", "", 0),
		Branch: field("branch", "Branch", "Empty: its default branch.", 0), Ignore: field("ignore", "Ignored paths", "One a line.", 3), Allow: field("allow", "Allowed secrets", "One a line.", 3)}
}

func sourceRows() []views.SourceRow {
	row := func(name, kind, place, more string, documents int) views.SourceRow {
		return views.SourceRow{Name: name, Kind: kind, Place: place, More: more, Documents: documents, State: "Done", At: moment, Counts: "4 added, 1 left out", EditURL: "/git-sources/1/edit", RemoveURL: "/git-sources/1/remove"}
	}
	failed, removed, fromSettings, fresh, cut := row("forge", "Git repository", "https://git.example.org/house/"+deepPath, "branch main · at 1bf559ff51", 312), row("old", "Directory", "/srv/old", "on attic", 3),
		row("notes", "Git repository", "git@git.example.org:me/notes.git", "", 44), row(rtl, "Archive", rtl+".tar.zst", "12.4 MB, uploaded 4 min ago", 0), row("cellar", "Directory", "/srv/cellar", "on box", 20000)
	failed.State, failed.Tone, failed.Error, failed.Counts = "Failed", "error", "The repository's host can't be reached: check its address, and whether this machine has a network. Its documents stay as they are. Put right what is wrong; the next sync tries it again.", ""
	removed.Removed, removed.KeepURL, removed.EditURL, removed.RemoveURL = true, "/git-sources/4/keep", "", ""
	fromSettings.Settings, fromSettings.EditURL, fromSettings.RemoveURL = true, "", ""
	fresh.State, fresh.At, fresh.Counts = "Not synced yet", views.Moment{}, ""
	cut.State, cut.Tone, cut.Skipped, cut.SkipsURL = "Stopped", "warn", 3, "/git-sources/6/skipped"
	return []views.SourceRow{row("homelab", "Directory", "/srv/homelab", "on box · ignoring drafts/ and 2 more", 50), failed, removed, fromSettings, fresh, cut}
}

// attackedSync is a sync that has ended: a running one would look for its stream.
func attackedSync(s *views.Sync) { s.Busy = false }

// numbered gives fields their own ids and names, which are ours in every page.
func numbered(fields ...*views.Field) {
	for i, f := range fields {
		f.ID, f.Name, f.Kind = fmt.Sprintf("field-%d", i), fmt.Sprintf("field%d", i), ""
	}
}

func attackedForm(f *views.SourceForm) {
	numbered(&f.Location, &f.Name, &f.Branch, &f.Ignore, &f.Allow)
}

func attackedSources(p *views.SourcesPage, _ string) {
	attackedSync(&p.Sync)
	for i := range p.Table.Columns {
		p.Table.Columns[i].Sort = "ascending" // one of three words, whatever anybody wrote
	}
}

func attackedRegistry(p *views.RegistryPage, _ string) {
	attackedSync(&p.Sync)
	attackedForm(&p.Add)
	p.Upload.Name.ID, p.Upload.Name.Name, p.Upload.Replace = "upload-name", "name", false
	removed := p.Sources[0]
	p.Sources[0].Removed = false
	p.Sources = append(p.Sources, removed)
}
