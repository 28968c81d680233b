package app

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

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

// Settings lists the catalogue with each value and where it comes from. Secrets
// show only whether they are set.
func Settings(out io.Writer, asJSON bool) error {
	var all []shownSetting
	for _, s := range config.Catalogue {
		shown := shownSetting{Name: s.Name, Group: s.Group, Value: s.Default, Default: s.Default, From: "default", Help: s.Help}
		if v := os.Getenv(s.Name); v != "" {
			shown.Value, shown.From = v, "environment"
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

func writeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
