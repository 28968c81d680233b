package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	"bor/internal/config"
)

type shownSetting struct {
	Name    string `json:"name"`
	Group   string `json:"group"`
	Value   string `json:"value,omitempty"`
	Default string `json:"default,omitempty"`
	From    string `json:"from"`
	Help    string `json:"help"`
}

// Settings lists the catalogue with each value that getenv has, and where it comes
// from. Secrets show only whether they are set.
func Settings(out io.Writer, getenv func(string) string, asJSON bool) error {
	var all []shownSetting
	for _, s := range config.Catalogue {
		shown := shownSetting{Name: s.Name, Group: s.Group, Value: s.Default, Default: s.Default, From: "default", Help: s.Help}
		if v := getenv(s.Name); v != "" {
			shown.Value, shown.From = withoutUser(v), "environment"
			if s.Secret {
				shown.Value = "(set)"
			}
		}
		all = append(all, shown)
	}
	if asJSON {
		return writeJSON(out, all)
	}
	group := ""
	for _, s := range all {
		if s.Group != group {
			group = s.Group
			fmt.Fprintf(out, "\n%s\n", group)
		}
		fmt.Fprintf(out, "  %s = %q (%s)\n      %s\n", s.Name, s.Value, s.From, s.Help)
	}
	return nil
}

// withoutUser is a value without the user and password that an address may hold.
func withoutUser(value string) string {
	if u, err := url.Parse(value); err == nil && u.User != nil {
		u.User = url.User("xxxxx")
		return u.String()
	}
	return value
}

func writeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
