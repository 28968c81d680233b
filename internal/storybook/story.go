package storybook

import (
	"reflect"
	"slices"

	"github.com/a-h/templ"

	"bor/views"
)

// Story is one view in one state.
type Story struct {
	Name  string // in the address and in the name of its pictures: unique, [a-z0-9-]
	Group string
	Shows string // what to look at, in a sentence
	View  View
}

// View is a page around a frame.
type View func(views.Shell) templ.Component

// Stories are all there are, in the order of the index.
func Stories() []Story {
	return slices.Concat(entry(), turns(), cards(), documents(), sources(), registry(), questions(), themed(), hostile())
}

// page is the view of a page model, whose field Shell takes the frame.
func page[M any](view func(M) templ.Component, model M) View {
	return func(s views.Shell) templ.Component {
		m := model
		setShell(&m, s)
		return view(m)
	}
}

func setShell(model any, s views.Shell) {
	reflect.ValueOf(model).Elem().FieldByName("Shell").Set(reflect.ValueOf(s))
}

// with is a view in a frame of its own kind.
func with(change func(*views.Shell), view View) View {
	return func(s views.Shell) templ.Component {
		change(&s)
		return view(s)
	}
}

// part is a component that is no page, with what to say about it.
type part struct {
	about string
	view  templ.Component
}

// parts is a page of components, one under the other.
func parts(heading string, all ...part) View {
	return func(s views.Shell) templ.Component { return partsPage(s, heading, all) }
}
