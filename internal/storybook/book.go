package storybook

import (
	"net/http"

	"github.com/a-h/templ"

	"bor/handlers"
	"bor/views"
)

// Identity is what the pages say of the installation.
var identity = handlers.Identity{AppName: "Brain of Reese", Version: "story book", Footer: "Every name, file and answer here is made up."}

// Handler serves the index at /, each story at its Path, and the style sheets of
// the themes.
func Handler() http.Handler {
	all := Stories()
	pages := map[string]func(views.Shell) templ.Component{"/": func(s views.Shell) templ.Component { return index(s, groups(all)) }}
	for _, story := range all {
		pages[story.Path()] = story.View
	}
	mux := http.NewServeMux()
	mux.Handle("/", handlers.Gallery(identity, pages))
	mux.Handle("GET "+themePrefix+"{name}", http.HandlerFunc(serveTheme))
	return mux
}

// Path is the story's address.
func (s Story) Path() string { return "/stories/" + s.Name }

// group is the stories of one part of the product.
type group struct {
	name    string
	stories []Story
}

func groups(all []Story) (found []group) {
	for _, s := range all {
		if n := len(found); n == 0 || found[n-1].name != s.Group {
			found = append(found, group{name: s.Group})
		}
		last := &found[len(found)-1]
		last.stories = append(last.stories, s)
	}
	return found
}
