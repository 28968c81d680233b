package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/llm"
)

//go:embed show_image.md
var showImageDescription string

// maxImages is how many figures one answer shows.
const maxImages = 5

var showImageSignature = signature{"show_image", []parameter{
	{"path", text, true, "The whole identity of an image document, source/path.", `"source/path.png"`},
}}

// showImage puts figures below the turn's answer, each once.
type showImage struct {
	store Store
	shown map[string]bool // by identity
}

func newShowImage(store Store) *showImage { return &showImage{store, map[string]bool{}} }

func (*showImage) Spec() llm.Tool {
	return llm.Tool{Name: "show_image", Description: showImageDescription, Parameters: showImageSignature.schema()}
}

func (s *showImage) Prepare(ctx context.Context, raw string) (agent.Call, error) {
	args, err := showImageSignature.parse(raw)
	if err != nil {
		return agent.Call{}, err
	}
	path := args.text("path")
	if bare(path) == "" {
		return agent.Call{}, agent.Refusal("No path was given. show_image takes the whole identity of an image document, source/path, as ls writes it.")
	}
	doc, err := s.store.ByIdentity(ctx, path)
	if errors.Is(err, kb.ErrNotFound) {
		path = bare(path)
		doc, err = s.store.ByIdentity(ctx, path)
	}
	if errors.Is(err, kb.ErrNotFound) {
		return agent.Call{}, noDocument(ctx, s.store, path, "show_image takes the whole identity of an image document, source/path.")
	}
	if err != nil {
		return agent.Call{}, err
	}
	switch {
	case doc.Kind != kb.KindImage:
		return agent.Call{}, agent.Refusal(path + " is text, not an image. To put its text in front of the user, use show_text.")
	case doc.Image.SHA256 == "":
		return agent.Call{}, agent.Refusal(path + " can't be shown before the next import has read its file.")
	case s.shown[path]:
		return agent.Call{}, agent.Refusal("The user already sees this image below your answer.")
	case len(s.shown) == maxImages:
		return agent.Call{}, agent.Refusal(fmt.Sprintf("This answer already shows %d images, which is the limit. Name others by their path.", maxImages))
	}
	return agent.Call{Argument: &path, Run: func(context.Context) (agent.Result, error) {
		s.shown[path] = true
		return pictureResult(doc), nil
	}}, nil
}

// pictureResult tells the model what stands below its answer now.
func pictureResult(doc kb.Document) agent.Result {
	about := "Nothing is written about it."
	if doc.Summary != "" {
		about = "The text around the links to it:\n" + doc.Summary
	}
	return agent.Result{
		Text: fmt.Sprintf("The user sees the image %s below your answer, with the caption %q. You can't see it. %s\n", doc.Identity(), doc.Title, about),
		Note: fmt.Sprintf("%d × %d", doc.Image.Width, doc.Image.Height),
		Image: &agent.Image{Source: doc.Source, Path: doc.Path, Title: doc.Title,
			SHA256: doc.Image.SHA256, Type: doc.Image.Type, Width: doc.Image.Width, Height: doc.Image.Height},
	}
}
