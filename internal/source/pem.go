package source

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// minKeyRun is the length of base64 that makes a PEM body a key. The shortest real body, an Ed25519 key in
// PKCS#8, has 64 characters; a line of it may be folded.
const minKeyRun = 40

// pemHead ends in the last words of every label of a private key: "PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED
// PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", and their kin.
var pemHead = regexp.MustCompile(`^-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----`)

const pemBegin = "-----BEGIN "

// isPEMKey reports whether s starts with a PEM private key. A label alone is prose; it is a key when base64
// follows, after nothing but white space, quoting, escaped line ends and PEM headers. The END line isn't needed:
// half a key is a secret too.
func isPEMKey(s string) bool {
	head := pemHead.FindString(s)
	return head != "" && keyFollows(s[len(head):])
}

var (
	// pemFiller is what may stand between the label and the key: space, quote marks of mail, code and strings,
	// list and block scalar marks, a plus between strings, and escaped line ends.
	pemFiller = regexp.MustCompile(`^(?:\\+[nrt]|\+\s|[\s"'` + "`" + `,>|#*;:\\-])*`)
	pemHeader = regexp.MustCompile(`^[A-Za-z][A-Za-z-]{0,40}:`)
	base64Run = regexp.MustCompile(`^[A-Za-z0-9+/=]+`)
)

// maxPEMHeaders bounds the headers of one block; real ones have two or three.
const maxPEMHeaders = 12

func keyFollows(s string) bool {
	for range maxPEMHeaders {
		s = s[len(pemFiller.FindString(s)):]
		if run := base64Run.FindString(s); len(run) >= minKeyRun {
			return !placeholder(run)
		}
		end := strings.IndexAny(s, "\n\\")
		if end < 0 || !pemHeader.MatchString(s) {
			return false
		}
		s = s[end:]
	}
	return false
}

// encodedPEM is the base64 of pemBegin without its last character, which depends on what follows.
const encodedPEM = "LS0tLS1CRUdJTi"

// maxEncoded is enough base64 for a label, the headers and the start of a key.
const maxEncoded = 600

// isEncodedPEMKey reports whether s starts with a PEM private key that is base64-encoded as a whole, as in a
// Kubernetes Secret or a kubeconfig.
func isEncodedPEMKey(s string) bool {
	run := encodedRun(s[:min(len(s), maxEncoded)])
	decoded, err := base64.RawStdEncoding.DecodeString(run[:len(run)/4*4])
	return err == nil && isPEMKey(string(decoded))
}

// encodedRun is the base64 that s starts with, its line breaks taken out.
func encodedRun(s string) string {
	var run strings.Builder
	for _, c := range []byte(s) {
		switch {
		case isWord(c), c == '+', c == '/':
			run.WriteByte(c)
		case c != ' ' && c != '\n' && c != '\r':
			return run.String()
		}
	}
	return run.String()
}
