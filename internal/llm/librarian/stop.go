package librarian

import (
	_ "embed"
	"strings"
)

//go:embed common.txt
var commonText string

// common holds the weights of stems that say little about what a text is about,
// by the class under which the file lists them.
var common = func() map[string]float64 {
	classes := []float64{0.05, 0.3, 0.5}
	weights := map[string]float64{}
	class := -1
	for line := range strings.Lines(commonText) {
		if strings.HasPrefix(line, "#") {
			class++
			continue
		}
		for _, w := range strings.Fields(line) {
			weights[stem(w)] = classes[class]
		}
	}
	return weights
}()

// weight is how much a stem says, from 0 to 1.
func weight(stem string) float64 {
	if w, listed := common[stem]; listed {
		return w
	}
	if len(stem) < 2 {
		return 0.3
	}
	return 1
}
