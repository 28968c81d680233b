package views

// RegistryPage lists the sources and takes new ones (AD2).
type RegistryPage struct {
	Shell     Shell
	Sync      Sync
	Problem   string // why what was just asked wasn't done
	Sources   []SourceRow
	Settings  bool // some come from BOR_GIT_SOURCES
	Add       SourceForm
	Upload    UploadForm
	Host      string
	MaxUpload string // in words, "200 MB"; empty: no limit
}

// SourceRow is a source in the registry's table.
type SourceRow struct {
	Name      string
	Kind      string // in words
	Place     string
	More      string // branch, host, size
	Documents int
	State     string // of its last sync, in words
	Tone      string // "", "error" or "warn"
	Error     string
	At        Moment
	Counts    string
	Removed   bool
	Settings  bool
	EditURL   string
	RemoveURL string
	KeepURL   string
	Skipped   int
	SkipsURL  string
}

// SourceForm adds or edits a source.
type SourceForm struct {
	Kind      string // git or local
	KindError string
	Location  Field
	Name      Field
	Branch    Field
	Ignore    Field
	Allow     Field
}

// UploadForm takes an archive.
type UploadForm struct {
	Action   string
	Name     Field
	File     string // error of the file
	MaxBytes string // for the script; empty: no limit
	Replace  bool   // it replaces the file of a source, which has its name
}

// EditPage edits a source.
type EditPage struct {
	Shell     Shell
	Name      string // as it is
	Kind      string
	Place     string
	Action    string
	Form      SourceForm
	Git       bool
	Upload    *UploadForm
	RemoveURL string
}

// ConfirmPage asks once before something is removed, and says what.
type ConfirmPage struct {
	Shell  Shell
	Title  string
	Text   string
	Action string
	Button string
	Back   string
}
