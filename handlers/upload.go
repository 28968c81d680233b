package handlers

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/fault"
	"bor/internal/registry"
)

const (
	// uploadPatience is how long a piece of an upload may be in coming.
	uploadPatience = 30 * time.Second
	// formRoom is what a form may have besides its file, in bytes.
	formRoom = 1 << 20
	// drainBytes is how much of a refused upload is read for nothing, because a
	// browser shows no answer before it has sent all.
	drainBytes = 1 << 30
)

// uploadArchive takes a new archive; uploadAgain takes another file for one.
func (s *Server) uploadArchive(c echo.Context) error {
	name, _, err := s.receive(c, 0)
	return s.uploaded(c, err, func(wrong registry.FieldErrors) error {
		return s.showRegistryWith(c, http.StatusUnprocessableEntity, registryState{upload: name, cut: wrong})
	})
}

func (s *Server) uploadAgain(c echo.Context) error {
	source, err := s.source(c)
	if err != nil {
		return err
	}
	_, _, err = s.receive(c, source.ID)
	return s.uploaded(c, err, func(wrong registry.FieldErrors) error {
		return s.showSourceWith(c, http.StatusUnprocessableEntity, source, registryState{cut: wrong,
			draft: registry.Draft{Name: source.Name, Ignore: source.Ignore, AllowSecrets: source.AllowSecrets}})
	})
}

// uploaded leads to the registry, or says what is wrong with the file. The script,
// which shows progress, goes there by itself, and gets the words alone.
func (s *Server) uploaded(c echo.Context, err error, show func(registry.FieldErrors) error) error {
	var wrong registry.FieldErrors
	switch {
	case err == nil && isPartial(c):
		return c.NoContent(http.StatusNoContent)
	case err == nil:
		return c.Redirect(http.StatusSeeOther, "/git-sources")
	case fault.CodeOf(err) != fault.Invalid:
		return err
	case !errors.As(err, &wrong):
		wrong = registry.FieldErrors{"file": fault.PublicOf(err)}
	}
	if isPartial(c) {
		return s.uploadRefused(c, wrong)
	}
	return show(wrong)
}

// uploadRefused answers the script: the words, and the field that they are about.
func (s *Server) uploadRefused(c echo.Context, wrong registry.FieldErrors) error {
	place := "file"
	if wrong["file"] == "" {
		place = "name"
	}
	c.Response().Header().Set("HX-Retarget", "#upload-"+place+"-error")
	return c.String(http.StatusUnprocessableEntity, wrong.Error()) // which the script shows as text
}

// receive stores the file of a multipart form while it arrives. The form's name
// comes before its file, or not at all.
func (s *Server) receive(c echo.Context, replaced int64) (name string, source registry.Source, err error) {
	body := &patientBody{c.Request().Body, http.NewResponseController(c.Response())}
	defer body.control.SetReadDeadline(time.Time{})
	c.Request().Body = body
	if s.MaxUpload > 0 {
		c.Request().Body = http.MaxBytesReader(c.Response(), body, s.MaxUpload+formRoom)
	}
	defer func() {
		if err != nil {
			io.CopyN(io.Discard, body, drainBytes)
		}
	}()
	form, err := c.Request().MultipartReader()
	if err != nil {
		return "", source, badUpload(err)
	}
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return name, source, registry.FieldErrors{"file": "Choose a file: the form came without one."}
		}
		if err != nil {
			return name, source, badUpload(err)
		}
		if part.FormName() == "name" {
			if name, err = formText(part); err != nil {
				return name, source, badUpload(err)
			}
		}
		if part.FormName() == "file" {
			source, err = s.Sources.Upload(c.Request().Context(), registry.File{Source: replaced, Name: name, File: part.FileName(), Body: part})
			return name, source, err
		}
	}
}

func badUpload(err error) error {
	return fault.Wrap(fault.Invalid, "The form can’t be read, so nothing was kept. Reload the page and send it again.", err)
}

// formText reads a short field.
func formText(part *multipart.Part) (string, error) {
	text, err := io.ReadAll(io.LimitReader(part, 4<<10))
	return string(text), err
}

// patientBody gives each piece of a body its time.
type patientBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *patientBody) Read(p []byte) (int, error) {
	b.control.SetReadDeadline(time.Now().Add(uploadPatience)) // fails only for what isn't a connection
	return b.ReadCloser.Read(p)
}
