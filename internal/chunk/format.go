package chunk

import (
	"path"
	"strings"
)

// outlineOf chooses the outline of a file by its name. The extension of a template is that of what it makes.
func outlineOf(file string) outline {
	name := strings.ToLower(path.Base(file))
	for _, template := range []string{".j2", ".tmpl", ".template"} {
		name = strings.TrimSuffix(name, template)
	}
	if o, ok := byName[name]; ok {
		return o
	}
	if o, ok := byExtension[strings.TrimPrefix(path.Ext(name), ".")]; ok {
		return o
	}
	return paragraphs
}

var byName = map[string]outline{
	"dockerfile":    dockerfile.outline,
	"containerfile": dockerfile.outline,
	"makefile":      makefile.outline,
	"gnumakefile":   makefile.outline,
	"justfile":      makefile.outline,
	"caddyfile":     caddyfile.outline,
}

var byExtension = func() map[string]outline {
	formats := map[string]outline{
		"json":       jsonKeys,
		"py":         python.outline,
		"go":         golang.outline,
		"dockerfile": dockerfile.outline,
		"mk":         makefile.outline,
	}
	for list, o := range map[string]outline{
		"md markdown mdx":  markdown,
		"yaml yml kube bu": yaml,
		"sh bash zsh ksh":  shell.outline,
		// Podman's quadlets, systemd's units, and files of keys and sections.
		"container network volume image pod build swap os endpoint " +
			"service timer socket mount automount target path slice scope link netdev " +
			"ini conf cfg toml env properties desktop": ini,
	} {
		for ext := range strings.FieldsSeq(list) {
			formats[ext] = o
		}
	}
	return formats
}()
