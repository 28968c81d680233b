package e2e

import (
	endian "encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// awkward is a file that tends to come out other than it went in.
type awkward struct {
	path  string
	data  string // the file's bytes
	utf16 bool
	text  string // the document's exact text, if the bytes had to be decoded
}

// shown is the document's exact text.
func (a awkward) shown() string {
	if a.utf16 {
		return a.text
	}
	return a.data
}

// utf16File is text in a file of two-byte units, with the mark that says so.
func utf16File(text string, order endian.AppendByteOrder) string {
	b := order.AppendUint16(nil, 0xFEFF)
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// controls are all control characters but NUL, which no document has.
func controls() string {
	var b strings.Builder
	for r := rune(1); r < 0xA0; r++ {
		if r < ' ' || r >= 0x7F {
			fmt.Fprintf(&b, "%d:%c.", r, r)
		}
	}
	return b.String()
}

// wide is text that UTF-16 files hold.
const wide = "line one\r\nzwei ü € 😀\n\n\tlast without end"

// mixture has what a highlighter may "repair": a blank first line, three kinds of
// line ends, tabs, spaces at ends, strings that don't close, no final line end.
const mixture = "\n# comment\r\nkey = \"value\"\t \r[section]\n\n  - 'open\n{{ x }} {% if y %}\r\n<b a='1'>&amp;</b>\n\"\"\"\n{\"j\": 1,}\n\n\tend \t"

// theAwkward are the files of V8's traps, and of REL3's.
func theAwkward() []awkward {
	files := []awkward{
		{path: "leading-newline.txt", data: "\nthe first line is blank\n"},
		{path: "blank-ends.txt", data: "\n\n\nbetween\n\n\n"},
		{path: "crlf.txt", data: "one\r\ntwo\r\nthree\r\nfour\r\n"},
		{path: "lone-cr.txt", data: "a\rb\rc\nd\re"},
		{path: "mixed.txt", data: "a\nb\r\nc\rd\r\r\ne\n\rf\r"},
		{path: "begins-with-crlf.txt", data: "\r\nx\r\n"},
		{path: "no-final-newline.txt", data: "one\ntwo"},
		{path: "bom.txt", data: "\uFEFFafter the mark\n\uFEFFinside\n"},
		{path: "utf16le.txt", data: utf16File(wide, endian.LittleEndian), utf16: true, text: wide},
		{path: "utf16be.txt", data: utf16File(wide, endian.BigEndian), utf16: true, text: wide},
		{path: "tabs.txt", data: "\tone\n\t\ttwo\tthree\t\n\t\n"},
		{path: "trailing.txt", data: "spaces   \nnbsp\u00a0\u00a0\n   \n x "},
		{path: "markup.txt", data: "</pre></code></figure>\n<script>document.title='x'</script>\n</script><!-- -->]]>\n<textarea>\n</textarea><pre>\n<img src=x onerror=alert(1)>\n"},
		{path: "page.html.j2", data: "<!DOCTYPE html>\n<html>\r\n<pre>\n\nx</pre>\n<script>\n  if (a < b && c > d) {}\n</script>\n{{ \"&lt;\" }}\n"},
		{path: "entities.txt", data: "&amp; &amp;amp; &#13; &#x0D; &#0; &lt; &nbsp; &NewLine; &amp\n"},
		{path: "not-line-ends.txt", data: "vt\vff\fnel\u0085ls\u2028ps\u2029end\nsecond\n"},
		{path: "bidi.txt", data: "rlo \u202Eabc\u202C lri \u2066x\u2069 rle \u202Bשלום\u202C\nalm \u061C lrm \u200E rlm \u200F\naccess = \"user\u202E \u2066// admin\u2069 \u2066\"\n"},
		{path: "zero-width.txt", data: "zwsp\u200Bzwnj\u200Czwj\u200Dwj\u2060shy\u00ADbom\uFEFFcgj\u034Ffiller\u3164\U000E0041tag\n"},
		{path: "controls.txt", data: controls() + "\n\x1b[31mred\x1b[0m\x07\x08\x7f\n"},
		{path: "emoji.txt", data: "👩\u200D👩\u200D👧\u200D👦 🇩🇪 1\uFE0F\u20E3 ❤\uFE0F 👍🏽 e\u0301 \u00E9 A\u030A \u212B ﷽ Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A\n\u0301starts with a mark\n한 한\n"},
		{path: "fences.md", data: "# A note\n\n```bor traps/crlf.txt 1-2\nits own text\n```\n\n````\n```bor traps/empty.txt\n```\n````\n\n~~~~~~~bor x/y\n~~~\n"},
		{path: "backquotes.md", data: "``````````` eleven\n```\n````\n"},
		{path: "only-newline.txt", data: "\n"},
		{path: "only-cr.txt", data: "\r"},
		{path: "only-space.txt", data: " "},
		{path: "only-bom.txt", data: "\uFEFF"},
		{path: "empty.txt", data: ""},
		{path: "at-the-cap.txt", data: strings.Repeat("0123456789abcd\n", 800)}, // 12 000 characters
		{path: "utf16-empty.txt", data: "\xff\xfe", utf16: true},
	}
	for _, ext := range []string{"sh", "conf", "ini", "toml", "service", "container", "yaml", "json", "py", "md", "j2"} {
		files = append(files, awkward{path: "mixture." + ext, data: mixture})
	}
	for _, path := range awkwardPaths {
		files = append(files, awkward{path: path, data: "path: " + path + "\r\n"})
	}
	return files
}

// awkwardPaths are names that mean something to Markdown, to addresses, to HTML or
// to a locator.
var awkwardPaths = []string{
	"with space/a b  c.txt", "hash#1-2.txt", "colon:3.txt", `quotes "double" 'single'.txt`, "ünïcode/файл/日本.txt", "nfd-e\u0301.txt",
	"a&b<c>.txt", "&amp;.txt", "&#13;.txt", `back\slash\*.txt`, "*star*_under_[x](y).txt", "100%25+?=.txt", "~~~.txt", "$(touch x);.txt",
	"x...dots.txt", "l1-l2.txt", "\u202Ertl.txt", "trailing .txt", "-dash.txt", "'.txt", "many/many/many/deep/folders/x.txt", "12-40.txt",
}

// folder writes files into a new folder.
func folder(t *testing.T, files []awkward) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.path))
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, []byte(f.data), 0o644))
	}
	return dir
}
