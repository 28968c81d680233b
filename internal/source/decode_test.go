package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func encodeUTF16(text string, order binary.AppendByteOrder) []byte {
	b := order.AppendUint16(nil, 0xFEFF)
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

func TestDecode(t *testing.T) {
	const awkward = "\r\n tab\t trailing \r\rVT\v FF\f NEL\u0085 LS\u2028 e\u0301 😀 </pre>\n\n"
	tests := []struct {
		name string
		in   []byte
		text string
		enc  Encoding
	}{
		{"empty", nil, "", UTF8},
		{"exact", []byte(awkward), awkward, UTF8},
		{"BOM is kept", []byte("\uFEFFa\n"), "\uFEFFa\n", UTF8BOM},
		{"little endian", encodeUTF16(awkward, binary.LittleEndian), awkward, UTF16LE},
		{"big endian", encodeUTF16(awkward, binary.BigEndian), awkward, UTF16BE},
		{"only a BOM", []byte{0xFF, 0xFE}, "", UTF16LE},
		{"second BOM is text", []byte{0xFE, 0xFF, 0xFE, 0xFF}, "\uFEFF", UTF16BE},
		{"replacement character is text", []byte("\uFFFD"), "\uFFFD", UTF8},
	}
	for _, tt := range tests {
		text, enc, err := Decode(tt.in)
		if err != nil || text != tt.text || enc != tt.enc {
			t.Errorf("%s: Decode = %q, %s, %v; want %q, %s", tt.name, text, enc, err, tt.text, tt.enc)
		}
		if enc.Decoded() != (text != string(tt.in)) {
			t.Errorf("%s: Decoded() = %v", tt.name, enc.Decoded())
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct {
		name   string
		in     []byte
		kind   Kind
		reason string
	}{
		{"Latin-1", []byte("a\nGr\xfc\xdfe"), KindNotText, "byte 0xFC at offset 4, line 2"},
		{"cut off", []byte("a\xe2\x82"), KindNotText, "byte 0xE2 at offset 1, line 1"},
		{"surrogate in UTF-8", []byte("\xed\xa0\x80"), KindNotText, "byte 0xED"},
		{"NUL", []byte("ab\x00"), KindNUL, "offset 2"},
		{"UTF-16 without BOM", []byte("a\x00b\x00"), KindNUL, "UTF-16 without a byte order mark"},
		{"UTF-32", []byte{0xFF, 0xFE, 0, 0, 'a', 0, 0, 0}, KindNotText, "UTF-32"},
		{"UTF-32 big endian", []byte{0, 0, 0xFE, 0xFF}, KindNotText, "UTF-32"},
		{"odd UTF-16", []byte{0xFF, 0xFE, 'a'}, KindNotText, "middle of a character"},
		{"high surrogate alone", []byte{0xFE, 0xFF, 0xD8, 0x00, 0, 'a'}, KindNotText, "offset 2"},
		{"low surrogate alone", []byte{0xFE, 0xFF, 0, 'a', 0xDC, 0x00}, KindNotText, "offset 4"},
		{"low before high", []byte{0xFE, 0xFF, 0xDC, 0x00, 0xD8, 0x00}, KindNotText, "offset 2"},
		{"NUL in UTF-16", []byte{0xFE, 0xFF, 0, 'a', 0, 0}, KindNUL, "offset 4"},
	}
	for _, tt := range tests {
		text, _, err := Decode(tt.in)
		var undecodable *DecodeError
		if !errors.As(err, &undecodable) {
			t.Errorf("%s: Decode = %q, %v; want a DecodeError", tt.name, text, err)
			continue
		}
		if undecodable.Kind != tt.kind || !strings.Contains(err.Error(), tt.reason) {
			t.Errorf("%s: %s, %q; want %s, %q", tt.name, undecodable.Kind, err, tt.kind, tt.reason)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", "text\r\n", "\uFEFFbom", "\xFF\xFEa\x00", "\xFE\xFF\xD8\x3D\xDE\x00", "\xFE\xFF\xDC\x00", "a\x00", "\xff\xfe\x00\x00", "\xc3\x28"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		text, enc, err := Decode(b)
		if err != nil {
			var undecodable *DecodeError
			if !errors.As(err, &undecodable) || text != "" {
				t.Fatalf("Decode(%q) = %q, %v", b, text, err)
			}
			return
		}
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			t.Fatalf("Decode(%q) = %q: not clean text", b, text)
		}
		back := []byte(text)
		switch enc {
		case UTF16LE:
			back = encodeUTF16(text, binary.LittleEndian)
		case UTF16BE:
			back = encodeUTF16(text, binary.BigEndian)
		}
		if !bytes.Equal(back, b) {
			t.Fatalf("Decode(%q) = %q as %s, which encodes to %q", b, text, enc, back)
		}
	})
}
