//go:build faults

package faults

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNginxInFront puts nginx between the product and the browser, in the ways that
// people do. The model says a word only when the page has shown the one before it, so
// an answer that comes to its end came live, word by word (REL2).
func TestNginxInFront(t *testing.T) {
	t.Parallel()
	program := nginxProgram(t)
	h := newHouse(t, 1)
	next := make(chan struct{})
	h.model.hold = func(_, word, _ int) <-chan struct{} {
		if word == 0 {
			return nil
		}
		return next
	}
	direct := h.apps[0].address
	for i, c := range []struct {
		name  string
		tls   bool
		chain bool
		more  string // directives
	}{
		{name: "nginx"},
		{name: "nginx behind nginx", chain: true},
		{name: "nginx, gzip on", more: "gzip on; gzip_types *; gzip_min_length 0; gzip_proxied any;"},
		{name: "nginx, HTTP/2 and TLS", tls: true},
		{name: "nginx, HTTP/2, TLS, gzip, behind nginx", tls: true, chain: true, more: "gzip on; gzip_types *; gzip_min_length 0; gzip_proxied any;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			const words = 16
			upstream := direct
			if c.chain {
				upstream = startNginx(t, program, upstream, nil, c.more)
			}
			var transport http.Transport
			scheme := "http://"
			var certificate *tls.Certificate
			if c.tls {
				made, roots := selfSigned(t)
				certificate, scheme = &made, "https://"
				transport.TLSClientConfig, transport.ForceAttemptHTTP2 = &tls.Config{RootCAs: roots}, true
			}
			front := scheme + startNginx(t, program, upstream, certificate, c.more)
			r := &row{name: c.name}
			client, err := signIn(t.Context(), &transport, func() string { return front })
			must(t, err)
			response, err := client.http.Get(front + "/healthz")
			must(t, err)
			response.Body.Close()
			if c.tls != (response.ProtoMajor == 2) {
				t.Errorf("nginx speaks %s", response.Proto)
			}
			a := asked{submit: fmt.Sprint("nginx", i), turn: i*3 + 1, words: words}
			a.acknowledged, err = client.insist(t.Context(), question(a.turn, words), a.submit)
			must(t, err)
			shown := 0
			v := &viewer{client: client, taken: a.acknowledged, progress: func(text string) {
				for shown < words && strings.Contains(text, strings.TrimSpace(strings.TrimSuffix(pieces(a.turn, words)[shown], ".\n"))) {
					if shown++; shown < words {
						next <- struct{}{}
					}
				}
			}}
			a.err = within(t, "the live end of an answer", patience/2, watching(t.Context(), v))
			if v.opened != 1 {
				t.Errorf("the stream was cut: it took %d connections", v.opened)
			}
			if packs := strings.Contains(c.more, "gzip on"); v.packed != packs {
				t.Errorf("the stream is compressed: %v", v.packed)
			}
			h.audit(r, &ledger{rows: []asked{a}})
			if r.done != 1 {
				t.Errorf("the answer isn't whole: %+v", *r)
			}
			r.judge(t)
		})
	}
}

func nginxProgram(t *testing.T) string {
	t.Helper()
	script := exec.Command(filepath.Join(root, "scripts", "nginx.sh"))
	script.Stderr = os.Stderr
	out, err := script.Output()
	if err != nil {
		t.Fatalf("no nginx: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// startNginx forwards to an address and gives its own.
func startNginx(t *testing.T, program, upstream string, certificate *tls.Certificate, more string) string {
	t.Helper()
	dir := t.TempDir()
	address := freeAddress(t)
	listen, proto := address, "http"
	if certificate != nil {
		listen, proto = address+" ssl http2", "https"
		key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, "cert.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}), 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "key.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
		more += " ssl_certificate cert.pem; ssl_certificate_key key.pem;"
	}
	must(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(fmt.Sprintf(`
daemon off; worker_processes 1; pid nginx.pid; user root;
events { worker_connections 256; }
http {
	access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
	map $http_x_forwarded_proto $came { default %s; https https; }
	server {
		listen %s;
		%s
		location / {
			proxy_pass http://%s;
			proxy_http_version 1.1;
			proxy_set_header Host $http_host;
			proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
			proxy_set_header X-Forwarded-Proto $came;
		}
	}
}
`, proto, listen, more, upstream)), 0o600))
	cmd := exec.Command(program, "-p", dir, "-c", "nginx.conf", "-e", "stderr", "-g", "")
	cmd.Stderr = os.Stderr
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() })
	must(t, again(t.Context(), func() error {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err
	}))
	return address
}

// selfSigned makes a certificate for this machine, and what trusts it.
func selfSigned(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bor"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	made, err := x509.ParseCertificate(der)
	must(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(made)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}
