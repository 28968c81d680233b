package source

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	mathrand "math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestSecretNames(t *testing.T) {
	secret := []string{
		".env", "a/b/.env", ".ENV", ".npmrc", ".NpmRc", ".pypirc", ".netrc", "_netrc", ".pgpass", ".git-credentials",
		".dockercfg", ".vault-token", "id_rsa", "ID_RSA", "keys/id_ed25519", "id_ecdsa_sk", "terraform.tfstate",
		"x.TFSTATE", "terraform.tfstate.backup", "terraform.tfstate.1700000000.backup", "a.ppk", "a.p12", "a.PFX",
		"a.jks", "a.keystore", "a.kdbx",
	}
	for _, path := range secret {
		if reason, ok := Secret(path, "harmless"); !ok || reason == "" {
			t.Errorf("%s is not taken for a secret", path)
		}
	}
	harmless := []string{
		"env", "prod.env", "example.env", "x.env", "env.md", "id_rsa.pub", "id_rsa.md", "tfstate", "tfstate.md",
		"a.backup", "npmrc", "netrc.txt", "server.pem", "key.txt",
	}
	for _, path := range harmless {
		if reason, ok := Secret(path, "A=1\n"); ok {
			t.Errorf("%s is taken for a secret: %s", path, reason)
		}
	}
}

// random is a stand-in for key material: reproducible, and never written into a file of this repository.
func random(seed uint64, n int, alphabet string) string {
	r := mathrand.New(mathrand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

const (
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower   = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
	letters = upper + lower
	alnum   = letters + digits
	b64     = alnum + "+/"
)

func pemText(t *testing.T, label string, headers map[string]string) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Headers: headers, Bytes: der}))
}

func TestSecretPEM(t *testing.T) {
	plain := pemText(t, "PRIVATE KEY", nil)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	long := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)}))
	inJSON, _ := json.Marshal(map[string]string{"private_key": plain})
	indent := func(prefix, s string) string {
		return prefix + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n"+prefix)
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(long))
	var folded strings.Builder
	for rest := encoded; rest != ""; {
		n := min(76, len(rest))
		folded.WriteString("    " + rest[:n] + "\n")
		rest = rest[n:]
	}
	for name, text := range map[string]string{
		"PKCS#8":            plain,
		"RSA":               long,
		"OpenSSH":           pemText(t, "OPENSSH PRIVATE KEY", nil),
		"encrypted PKCS#8":  pemText(t, "ENCRYPTED PRIVATE KEY", nil),
		"encrypted RSA":     pemText(t, "RSA PRIVATE KEY", map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-128-CBC,0011"}),
		"EC":                pemText(t, "EC PRIVATE KEY", nil),
		"PGP":               pemText(t, "PGP PRIVATE KEY BLOCK", map[string]string{"Version": "GnuPG v2", "Comment": "mine"}),
		"CRLF":              strings.ReplaceAll(plain, "\n", "\r\n"),
		"YAML block scalar": "tls:\n  key: |\n" + indent("    ", plain),
		"list and quote":    indent("> ", plain),
		"comment":           indent("# ", plain),
		"JSON":              string(inJSON),
		"twice escaped":     strings.ReplaceAll(string(inJSON), `\n`, `\\n`),
		"one line":          "KEY='" + strings.ReplaceAll(strings.TrimSpace(plain), "\n", " ") + "'",
		"added strings":     `"` + strings.ReplaceAll(strings.TrimSpace(plain), "\n", "\\n\" +\n  \"") + `"`,
		"no end line":       plain[:len(plain)-30],
		"Kubernetes":        "data:\n  tls.key: " + encoded + "\n",
		"folded base64":     "data:\n  tls.key: |\n" + folded.String(),
		"after a mention":   "Look for -----BEGIN PRIVATE KEY----- in it.\n" + plain,
	} {
		reason, ok := Secret("note.md", "before\n"+text)
		if !ok || !strings.Contains(reason, "private key in line ") {
			t.Errorf("%s: not found (%q)", name, reason)
		}
		if strings.Contains(reason, "BEGIN") {
			t.Errorf("%s: the reason %q quotes the key", name, reason)
		}
	}
	certificate := pemText(t, "CERTIFICATE", nil)
	for name, text := range map[string]string{
		"certificate":         certificate,
		"public key":          pemText(t, "PUBLIC KEY", nil),
		"encoded certificate": base64.StdEncoding.EncodeToString([]byte(certificate)),
		"mention":             "A key starts with `-----BEGIN PRIVATE KEY-----` and then the base64 follows in lines.",
		"two mentions":        "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n" + random(1, 64, b64),
		"dots":                "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
		"start and dots":      "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA...\n-----END RSA PRIVATE KEY-----",
		"crosses":             "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("X", 64) + "\n",
		"angle brackets":      "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----",
		"far away":            "-----BEGIN PRIVATE KEY----- is what to grep for.\n\nChecksum: " + random(2, 64, "0123456789abcdef"),
		"at the very end":     "-----BEGIN PRIVATE KEY-----",
		"headers for ever":    "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("A: b\n", 50) + random(3, 64, b64),
		"broken base64":       encodedPEM + "!",
	} {
		if reason, ok := Secret("note.md", text); ok {
			t.Errorf("%s: taken for a secret: %s", name, reason)
		}
	}
}

func TestSecretTokens(t *testing.T) {
	wireguard := random(11, 42, b64) + "E="
	for name, token := range map[string]string{
		"age":             "AGE-SECRET-KEY-" + "1" + random(1, 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
		"WireGuard":       "PrivateKey = " + wireguard,
		"PuTTY":           "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\r\n" + random(2, 44, b64),
		"AWS id":          "AKIA" + random(3, 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
		"AWS session":     "ASIA" + random(4, 16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
		"AWS secret":      "aws_secret_access_key = " + random(5, 40, b64),
		"AWS environment": "AWS_SECRET_ACCESS_KEY=\"" + random(6, 40, b64) + "\"",
		"AWS in JSON":     `"aws_secret_access_key": "` + random(7, 40, b64) + `"`,
		"GitHub classic":  "ghp_" + random(8, 36, alnum),
		"GitHub OAuth":    "gho_" + random(8, 36, alnum),
		"GitHub user":     "ghu_" + random(8, 36, alnum),
		"GitHub server":   "ghs_" + random(8, 36, alnum),
		"GitHub refresh":  "ghr_" + random(8, 36, alnum),
		"GitHub fine":     "github_pat_" + random(9, 22, alnum) + "_" + random(10, 59, alnum),
		"GitLab":          "glpat-" + random(12, 20, alnum),
		"Slack bot":       "xoxb-" + random(13, 12, digits) + "-" + random(14, 12, digits) + "-" + random(15, 24, alnum),
		"Slack app":       "xapp-1-A" + random(16, 10, upper) + "-" + random(17, 12, digits) + "-" + random(18, 64, "0123456789abcdef"),
		"Slack webhook":   "https://hooks.slack.com/services/T" + random(19, 8, upper) + "/B" + random(20, 8, upper) + "/" + random(21, 24, alnum),
		"Stripe":          "sk_live_" + random(22, 24, alnum),
		"Stripe limited":  "rk_live_" + random(22, 24, alnum),
		"Google":          "AIza" + random(23, 35, alnum),
		"npm":             "npm_" + random(24, 36, alnum),
		"PyPI":            "pypi-AgEIcHlwaS5vcmc" + random(25, 60, alnum),
		"Tailscale":       "tskey-auth-" + random(26, 12, alnum) + "-" + random(27, 32, alnum),
		"Vault":           "hvs." + random(28, 90, alnum),
		"Anthropic":       "sk-ant-api03-" + random(29, 93, alnum),
		"OpenAI":          "sk-proj-" + random(30, 80, alnum),
		"Hugging Face":    "hf_" + random(31, 34, letters),
	} {
		reason, ok := Secret("app.yaml", "a: 1\nb: '"+token+"'\n")
		if !ok || !strings.HasSuffix(reason, "line 2") && name != "PuTTY" {
			t.Errorf("%s: not found in line 2 (%q)", name, reason)
		}
		if strings.Contains(reason, token[len(token)-10:]) {
			t.Errorf("%s: the reason %q quotes the token", name, reason)
		}
		if _, ok := Secret("app.json", `"a\n`+token+`"`); !ok {
			t.Errorf("%s after an escaped line end: not found", name)
		}
		if reason, ok := Secret("app.yaml", "b: x"+token+"\n"); ok && strings.HasPrefix(token, "A") {
			t.Errorf("%s inside a word is taken for a secret: %s", name, reason)
		}
		if _, ok := Secret("app.yaml", "b: "+token[:len(token)/2]); ok && name != "Vault" && name != "OpenAI" && name != "PyPI" {
			t.Errorf("half of %s is taken for a secret", name)
		}
	}
	for _, text := range []string{
		"AKIAIOSFODNN7" + "EXAMPLE", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
		"ghp_" + strings.Repeat("x", 36), "ghp_" + strings.Repeat("ab", 18), "ghp_1234567890" + lower,
		"PrivateKey = <your private key>", "PrivateKey = " + strings.Repeat("A", 43) + "=", "PublicKey = " + wireguard,
		"xoxb-your-token", "password: hunter2hunter2hunter2hunter2hunter2", "sha256:" + random(40, 64, "0123456789abcdef"),
		random(41, 2000, alnum),
	} {
		if reason, ok := Secret("app.yaml", text); ok {
			t.Errorf("%q is taken for a secret: %s", text, reason)
		}
	}
}

// A file that repeats what starts a secret must not make the scan slow. The yardstick is the repeated start of a
// token in the same run; the bound is generous.
func TestSecretLinear(t *testing.T) {
	const size = 512 << 10
	scan := func(unit string) time.Duration {
		text := strings.Repeat(unit, size/len(unit))
		start := time.Now()
		if reason, ok := Secret("a.txt", text); ok {
			t.Errorf("%q repeated is taken for a secret: %s", unit, reason)
		}
		return time.Since(start)
	}
	plain := scan("ghp_ ")
	for _, unit := range []string{
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----A: ", "-----BEGIN PRIVATE KEY-----A: \n", encodedPEM,
		encodedPEM + " ", "xoxb-1-", "xox", "PrivateKey = ", "Private-Lines: 1\n", "AGE-SECRET-KEY-", "-", "A", "\\n",
	} {
		if took := scan(unit); took > 20*plain+2*time.Second {
			t.Errorf("%q repeated took %v, the start of a token %v", unit, took, plain)
		}
	}
}

func FuzzSecret(f *testing.F) {
	for _, seed := range []string{"-----BEGIN PRIVATE KEY-----\\n" + strings.Repeat("aB3", 20), encodedPEM + "QQ==", "PrivateKey=", "xoxb-1-", "AKIA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		reason, ok := Secret("a.txt", text)
		if ok != (reason != "") {
			t.Fatalf("Secret = %q, %v", reason, ok)
		}
		if after, _ := Secret("a.txt", "one more line\n"+text); ok && after == "" {
			t.Fatalf("a line before the secret hides it")
		}
	})
}
