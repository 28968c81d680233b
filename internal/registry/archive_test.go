package registry

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"bor/internal/fault"
	"bor/internal/testkit"
)

// noise is n bytes that don't repeat.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

func parts(t *testing.T, r *Registry) (n int) {
	t.Helper()
	if err := r.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM archive_parts").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAnArchiveIsStoredInPartsAndReadWhereItLies(t *testing.T) {
	ctx := t.Context()
	r := newRegistry(t, testkit.DB(t), nil)
	for _, size := range []int{1, partBytes - 1, partBytes, partBytes + 1, 10*partBytes + 5} {
		data := noise(size)
		s, err := r.Upload(ctx, File{Name: fmt.Sprint("a", size), File: `C:\me\lab.tar.gz`, Body: iotest.HalfReader(bytes.NewReader(data))})
		if err != nil || s.Kind != Archive || s.Location != "lab.tar.gz" {
			t.Fatalf("%+v, %v", s, err)
		}
		got, err := r.Get(ctx, s.ID)
		sum := sha256.Sum256(data)
		if err != nil || got.Upload == nil || got.Upload.Bytes != int64(size) || !bytes.Equal(got.Upload.SHA256, sum[:]) || got.Upload.At.IsZero() {
			t.Fatalf("%+v, %v", got.Upload, err)
		}
		a, err := r.OpenArchive(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(io.NewSectionReader(a, 0, a.Size()), data); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
		if len(a.parts) > keptParts {
			t.Errorf("%d parts are in memory", len(a.parts))
		}
		if n, err := a.ReadAt(make([]byte, 2), int64(size)-1); n != 1 || !errors.Is(err, io.EOF) {
			t.Errorf("over the end: %d, %v", n, err)
		}
		if _, err := a.ReadAt(make([]byte, 1), -1); err == nil {
			t.Error("before the start")
		}
	}
}

func TestAnUploadThatFailsLeavesNothing(t *testing.T) {
	ctx := t.Context()
	r := newRegistry(t, testkit.DB(t), func(c *Config) {
		c.MaxUpload = 3 << 20
		c.CheckArchive = func(start []byte) error {
			if bytes.HasPrefix(start, []byte("text")) {
				return errors.New("this isn't an archive")
			}
			return nil
		}
	})
	broken := errors.New("the cable was pulled")
	for name, c := range map[string]struct {
		file   File
		fields []string
		words  string
	}{
		"too large":      {File{File: "x.zip", Body: bytes.NewReader(noise(3<<20 + 1))}, []string{"file"}, "larger than 3 MB"},
		"empty":          {File{File: "x.zip", Body: strings.NewReader("")}, []string{"file"}, "Choose a file"},
		"no archive":     {File{File: "x.zip", Body: strings.NewReader("text")}, []string{"file"}, "This isn't an archive."},
		"a bad name":     {File{Name: "a/b", File: "x.zip", Body: strings.NewReader("data")}, []string{"name"}, "a slash"},
		"cut":            {File{File: "x.zip", Body: io.MultiReader(bytes.NewReader(noise(2<<20+7)), iotest.ErrReader(broken))}, nil, "cut off"},
		"cut at once":    {File{File: "x.zip", Body: iotest.ErrReader(broken)}, nil, "cut off"},
		"a cut form":     {File{File: "x.zip", Body: io.MultiReader(bytes.NewReader(noise(2<<20+7)), iotest.ErrReader(io.ErrUnexpectedEOF))}, nil, "cut off"},
		"of no source":   {File{Source: 99, File: "x.zip", Body: strings.NewReader("data")}, nil, "no such source"},
		"without a file": {File{Name: "n", Body: strings.NewReader("")}, []string{"file"}, "Choose a file"},
	} {
		_, err := r.Upload(ctx, c.file)
		if err == nil || !slices.Equal(fields(err), c.fields) || !strings.Contains(fault.PublicOf(err), c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := names(t, r); got != nil || parts(t, r) != 0 {
		t.Errorf("left: %v, %d parts", got, parts(t, r))
	}
}

func TestAnotherFileTakesAnArchivesPlace(t *testing.T) {
	ctx := t.Context()
	r := newRegistry(t, testkit.DB(t), nil)
	s, err := r.Upload(ctx, File{File: "lab.zip", Body: bytes.NewReader(noise(2*partBytes + 1))})
	if err != nil || s.Name != "lab" {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := r.Upload(ctx, File{File: "lab.zip", Body: strings.NewReader("data")}); !slices.Equal(fields(err), []string{"name"}) || !strings.Contains(err.Error(), "lab-2") {
		t.Errorf("the same name: %v", err)
	}
	reading, err := r.OpenArchive(ctx, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reading.ReadAt(make([]byte, 1), 0); err != nil {
		t.Fatal(err)
	}
	again, err := r.Upload(ctx, File{Source: s.ID, File: "lab-new.zip", Body: strings.NewReader("data")})
	if err != nil || again.ID != s.ID || again.Name != "lab" || again.Location != "lab-new.zip" {
		t.Fatalf("%+v, %v", again, err)
	}
	if n := parts(t, r); n != 1 {
		t.Errorf("%d parts are left", n)
	}
	if _, err := reading.ReadAt(make([]byte, 1), partBytes); err == nil || !strings.Contains(err.Error(), "taken the archive's place") {
		t.Errorf("reading the old one: %v", err)
	}
	fresh, err := r.OpenArchive(ctx, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(io.NewSectionReader(fresh, 0, fresh.Size())); err != nil || string(text) != "data" {
		t.Errorf("%q, %v", text, err)
	}
	local, err := r.Add(ctx, Draft{Kind: Local, Location: t.TempDir(), Name: "dir"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Upload(ctx, File{Source: local.ID, File: "x.zip", Body: strings.NewReader("data")}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a file for a directory: %v", err)
	}
	if _, err := r.OpenArchive(ctx, local.ID); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a directory's archive: %v", err)
	}
}
