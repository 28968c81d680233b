package source

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// Secret reports whether a file holds secrets, by its name or by key material in its text, and says why without
// quoting any of it. It holds back whole files: a file from which only the key was cut would not be the file.
//
// By name, in any case: .env, .npmrc, .pypirc, .netrc, .pgpass, .git-credentials, .dockercfg, .vault-token, SSH's
// private keys (id_rsa, id_ed25519, …), Terraform state and its backups, PuTTY keys, key stores. Files such as
// prod.env or example.env are judged by their content.
//
// By content: a PEM private key of any kind, also encrypted, indented, escaped in JSON or base64-encoded whole as
// Kubernetes does; age and WireGuard private keys; access tokens with a form of their own (see materials). What
// looks like a placeholder isn't key material: too short, few different characters, or a word such as EXAMPLE.
// Passwords without a form of their own can't be told from other words.
func Secret(file, text string) (reason string, ok bool) {
	if reason, ok := secretName(path.Base(file)); ok {
		return reason, true
	}
	what, offset := keyMaterial(text)
	if what == "" {
		return "", false
	}
	return fmt.Sprintf("the file holds %s in line %d", what, 1+strings.Count(text[:offset], "\n")), true
}

var secretNames = map[string]string{
	".env":             "an environment file",
	".npmrc":           "a file of registry credentials",
	".pypirc":          "a file of registry credentials",
	".dockercfg":       "a file of registry credentials",
	".netrc":           "a file of passwords",
	"_netrc":           "a file of passwords",
	".pgpass":          "a file of passwords",
	".git-credentials": "a file of passwords",
	".vault-token":     "an access token",
	"id_rsa":           "an SSH private key",
	"id_dsa":           "an SSH private key",
	"id_ecdsa":         "an SSH private key",
	"id_ecdsa_sk":      "an SSH private key",
	"id_ed25519":       "an SSH private key",
	"id_ed25519_sk":    "an SSH private key",
}

var secretExtensions = map[string]string{
	".tfstate":  "Terraform state",
	".ppk":      "an SSH private key",
	".p12":      "a key store",
	".pfx":      "a key store",
	".jks":      "a key store",
	".keystore": "a key store",
	".kdbx":     "a password store",
}

func secretName(base string) (reason string, ok bool) {
	name := strings.ToLower(base)
	what := secretNames[name]
	if what == "" {
		what = secretExtensions[path.Ext(name)]
	}
	if what == "" && strings.HasSuffix(name, ".backup") && strings.Contains(name, ".tfstate.") {
		what = "Terraform state"
	}
	return "the file's name is that of " + what, what != ""
}

// material is a kind of key material. Each piece of it starts with a literal anchor, at the start of a word;
// confirm then looks at what stands there.
type material struct {
	what, anchor string
	confirm      func(s string) bool
}

// maxMaterial is as many bytes from an anchor on as confirm gets to see. It is longer than any form, and bounds
// the work where a file repeats an anchor.
const maxMaterial = 4096

// token confirms by a form; the form's one group is the part that must not look like a placeholder.
func token(what, anchor, form string) material {
	re := regexp.MustCompile(`^(?:` + form + `)`)
	return material{what, anchor, func(s string) bool {
		m := re.FindStringSubmatch(s)
		return m != nil && !placeholder(m[1])
	}}
}

// The forms follow the issuers' public descriptions of their tokens.
var materials = []material{
	{"a private key", pemBegin, isPEMKey},
	{"a base64-encoded private key", encodedPEM, isEncodedPEMKey},
	token("an age secret key", "AGE-SECRET-KEY-", `AGE-SECRET-KEY-(?:PQ-)?1([QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})`),
	token("a WireGuard private key", "PrivateKey", `PrivateKey[ \t]*=[ \t]*([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)`),
	token("a PuTTY private key", "Private-Lines: ", `Private-Lines: [0-9]+\r?\n([A-Za-z0-9+/=]{40})`),
	token("an AWS access key", "AKIA", `AKIA([A-Z2-7]{16})\b`),
	token("an AWS access key", "ASIA", `ASIA([A-Z2-7]{16})\b`),
	token("an AWS secret key", "aws_secret_access_key", `aws_secret_access_key["']?[ \t]*[=:][ \t]*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`),
	token("an AWS secret key", "AWS_SECRET_ACCESS_KEY", `AWS_SECRET_ACCESS_KEY["']?[ \t]*[=:][ \t]*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)`),
	token("a GitHub token", "ghp_", `ghp_([A-Za-z0-9]{36})`),
	token("a GitHub token", "gho_", `gho_([A-Za-z0-9]{36})`),
	token("a GitHub token", "ghu_", `ghu_([A-Za-z0-9]{36})`),
	token("a GitHub token", "ghs_", `ghs_([A-Za-z0-9]{36})`),
	token("a GitHub token", "ghr_", `ghr_([A-Za-z0-9]{36})`),
	token("a GitHub token", "github_pat_", `github_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})`),
	token("a GitLab token", "glpat-", `glpat-([A-Za-z0-9_-]{20})`),
	token("a Slack token", "xox", `xox[abeoprs]-((?:[0-9]-)?[0-9A-Za-z]{8,}-[0-9A-Za-z-]{16,200})`),
	token("a Slack token", "xapp-", `xapp-[0-9]-([0-9A-Z]{8,}-[0-9]+-[0-9a-f]{32,})`),
	token("a Slack webhook", "hooks.slack.com/services/", `hooks\.slack\.com/services/T[0-9A-Z]{8,}/B[0-9A-Z]{8,}/([0-9A-Za-z]{24})`),
	token("a Stripe key", "sk_live_", `sk_live_([0-9A-Za-z]{24})`),
	token("a Stripe key", "rk_live_", `rk_live_([0-9A-Za-z]{24})`),
	token("a Google API key", "AIza", `AIza([0-9A-Za-z_-]{35})`),
	token("an npm token", "npm_", `npm_([0-9A-Za-z]{36})`),
	token("a PyPI token", "pypi-AgEIcHlwaS5vcmc", `pypi-AgEIcHlwaS5vcmc([0-9A-Za-z_-]{50})`),
	token("a Tailscale key", "tskey-", `tskey-(?:auth|api|client)-([0-9A-Za-z]{6,}-[0-9A-Za-z]{20})`),
	token("a Vault token", "hvs.", `hvs\.([0-9A-Za-z_-]{24})`),
	token("a model provider's key", "sk-ant-", `sk-ant-[a-z0-9]+-([0-9A-Za-z_-]{60})`),
	token("a model provider's key", "sk-proj-", `sk-proj-([0-9A-Za-z_-]{40})`),
	token("a Hugging Face token", "hf_", `hf_([A-Za-z]{34})\b`),
}

// byFirst has the materials by their anchor's first byte, and isFirst says which bytes those are.
var byFirst, isFirst = func() (index [256][]material, first [256]bool) {
	for _, m := range materials {
		index[m.anchor[0]] = append(index[m.anchor[0]], m)
		first[m.anchor[0]] = true
	}
	return index, first
}()

// keyMaterial is the first key material in text, and where it starts. One pass over the text looks at the starts
// of words only: a search for each anchor by itself costs more than reading and hashing the file.
func keyMaterial(text string) (what string, offset int) {
	for i := range len(text) {
		if !isFirst[text[i]] || !startsWord(text, i) {
			continue
		}
		for _, m := range byFirst[text[i]] {
			if strings.HasPrefix(text[i:], m.anchor) && m.confirm(text[i:min(len(text), i+maxMaterial)]) {
				return m.what, i
			}
		}
	}
	return "", 0
}

// startsWord reports whether a word may start at i. An escaped line end before it ("\\n") isn't part of it, and
// dashes always start one.
func startsWord(text string, i int) bool {
	return i == 0 || text[i] == '-' || !isWord(text[i-1]) || i > 1 && text[i-2] == '\\'
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// minDistinct is how many different characters real key material has at least: 16 random ones of an alphabet of
// 32 have fewer than 8 in about one of 30 000 keys.
const minDistinct = 8

// placeholderWords are long enough to be improbable in random characters.
var placeholderWords = []string{"example", "xxxxxx", "redacted", "placeholder", "changeme", "12345678", "abcdefgh"}

// placeholder reports whether a piece of would-be key material was typed by a person as an illustration.
func placeholder(key string) bool {
	var seen [256]bool
	distinct := 0
	for _, c := range []byte(key) {
		if !seen[c] {
			seen[c] = true
			distinct++
		}
	}
	if distinct < minDistinct {
		return true
	}
	key = strings.ToLower(key)
	for _, word := range placeholderWords {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}
