package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding says how a file's bytes became text.
type Encoding string

const (
	UTF8    Encoding = "utf-8"     // byte for byte
	UTF8BOM Encoding = "utf-8-bom" // byte for byte; the byte order mark is the text's first character
	UTF16LE Encoding = "utf-16le"  // decoded; the byte order mark is not part of the text
	UTF16BE Encoding = "utf-16be"
)

// Decoded reports whether the text's bytes differ from the file's: the document is then shown as decoded.
func (e Encoding) Decoded() bool { return e == UTF16LE || e == UTF16BE }

// DecodeError says why bytes are not text that can be indexed.
type DecodeError struct {
	Kind   Kind // KindNotText or KindNUL
	Reason string
}

func (e *DecodeError) Error() string { return e.Reason }

// Decode gives the exact text of a file. UTF-8 stays as it is, byte for byte, with its byte order mark if it has
// one. UTF-16 is decoded when a byte order mark announces it. Nothing is normalised or repaired: an unpaired
// surrogate, an invalid byte or a NUL is a *DecodeError that says where it stands.
func Decode(b []byte) (string, Encoding, error) {
	switch {
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE, 0, 0}), bytes.HasPrefix(b, []byte{0, 0, 0xFE, 0xFF}):
		return "", "", notText("the file is UTF-32: convert it to UTF-8")
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}):
		text, err := decodeUTF16(b[2:], binary.LittleEndian)
		return text, UTF16LE, err
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		text, err := decodeUTF16(b[2:], binary.BigEndian)
		return text, UTF16BE, err
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return "", "", hasNUL(fmt.Sprintf("the file holds a NUL byte at offset %d: it is not plain text, or UTF-16 without a byte order mark", i))
	}
	if i := invalidByte(b); i >= 0 {
		return "", "", notText(fmt.Sprintf("the file is not UTF-8: byte 0x%02X at offset %d, line %d; convert it to UTF-8",
			b[i], i, 1+bytes.Count(b[:i], []byte{'\n'})))
	}
	if bytes.HasPrefix(b, []byte("\uFEFF")) {
		return string(b), UTF8BOM, nil
	}
	return string(b), UTF8, nil
}

func decodeUTF16(b []byte, order binary.ByteOrder) (string, error) {
	if len(b)%2 != 0 {
		return "", notText("the file is UTF-16 and ends in the middle of a character")
	}
	var text strings.Builder
	text.Grow(len(b) / 2)
	for i := 0; i < len(b); i += 2 {
		r := rune(order.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			if i+4 > len(b) {
				return "", unpaired(i)
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(b[i+2:]))); r == utf8.RuneError {
				return "", unpaired(i)
			}
			i += 2
		}
		if r == 0 {
			return "", hasNUL(fmt.Sprintf("the file is UTF-16 and holds a NUL character at offset %d", i+2))
		}
		text.WriteRune(r)
	}
	return text.String(), nil
}

// invalidByte is the offset of the first byte that is not part of a UTF-8 sequence, or -1.
func invalidByte(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func unpaired(offset int) error {
	return notText(fmt.Sprintf("the file is UTF-16 and holds half of a surrogate pair at offset %d", offset+2))
}

func notText(reason string) error { return &DecodeError{KindNotText, reason} }
func hasNUL(reason string) error  { return &DecodeError{KindNUL, reason} }
