package turnview

import (
	"fmt"

	"bor/internal/chat"
	"bor/views"
)

// maxSide bounds a figure's stated size, in pixels: a record may say anything.
const maxSide = 1 << 20

// figures are the images of a turn, from its record alone. They load from an
// address of the turn's own, so they outlive their documents.
func figures(turn int64, rec chat.Record) []views.Figure {
	var all []views.Figure
	for i, image := range rec.AnswerImage {
		f := views.Figure{URL: turnURL(turn, fmt.Sprintf("images/%d", i)), Caption: image.Title,
			Width: image.Width, Height: image.Height, OpenURL: documentURL(image.Source, image.Path, 0, 0)}
		if f.Caption == "" {
			f.Caption = image.Source + "/" + image.Path
		}
		if f.Width < 1 || f.Height < 1 || f.Width > maxSide || f.Height > maxSide {
			f.Width, f.Height = 0, 0
		}
		all = append(all, f)
	}
	return all
}
