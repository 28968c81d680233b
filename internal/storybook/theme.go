package storybook

import (
	"embed"
	"net/http"
	"slices"

	"bor/views"
)

//go:embed theme/*.css
var themeFiles embed.FS

const themePrefix = "/theme/"

// serveTheme sends the style sheet of a theme: its nine colours.
func serveTheme(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.ServeFileFS(w, r, themeFiles, "theme/"+r.PathValue("name"))
}

// themed shows what has the most colours in the other themes.
func themed() (all []Story) {
	for _, theme := range []struct{ file, group string }{{"light.css", "Light theme"}, {"mono.css", "Monochrome theme"}} {
		in := func(view View) View {
			return with(func(s *views.Shell) {
				s.Assets.Styles = append(slices.Clone(s.Assets.Styles), themePrefix+theme.file)
			}, view)
		}
		name := theme.file[:len(theme.file)-len(".css")] + "-"
		all = append(all,
			Story{name + "answer", theme.group, "An answer with everything.", in(talk(feast()))},
			Story{name + "endings", theme.group, "Every way an answer ends, and a running one.", in(talk(endings()...))},
			Story{name + "document", theme.group, "Lines of a document, some of them marked.", in(document(script, "lines=3-6"))},
			Story{name + "login", theme.group, "A refused login.", in(refusedLogin)})
	}
	return all
}
