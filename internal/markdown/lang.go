package markdown

import "strings"

// Lang returns the name of the language that a file's path suggests, "" for
// none (AG8): by its whole name for a few well-known ones, else by what stands
// behind the last dot of the last path segment, without regard to case. A
// dotfile, a trailing dot, no extension and an unknown one suggest none.
func Lang(path string) string {
	name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
	if lang := namedFiles[name]; lang != "" {
		return lang
	}
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		return extensions[name[dot+1:]]
	}
	return ""
}

// namedFiles are languages by whole file name.
var namedFiles = map[string]string{
	"containerfile":  "docker",
	"dockerfile":     "docker",
	"gnumakefile":    "make",
	"jenkinsfile":    "groovy",
	"justfile":       "make",
	"makefile":       "make",
	"caddyfile":      "caddyfile",
	"cmakelists.txt": "cmake",
	"go.mod":         "go",
	"nginx.conf":     "nginx",
	"pkgbuild":       "bash",
	"vagrantfile":    "ruby",
}

// extensions are languages by extension. Quadlet and systemd units are INI.
var extensions = map[string]string{
	"awk": "awk", "bash": "bash", "bat": "bat", "c": "c", "cc": "c++", "cfg": "ini", "cmake": "cmake",
	"conf": "ini", "cpp": "c++", "cs": "c#", "css": "css", "diff": "diff", "dockerfile": "docker",
	"env": "bash", "go": "go", "graphql": "graphql", "groovy": "groovy", "h": "c", "hcl": "hcl", "hpp": "c++",
	"htm": "html", "html": "html", "ini": "ini", "java": "java", "js": "javascript", "json": "json",
	"jsonl": "json", "jsx": "react", "kt": "kotlin", "less": "css", "lua": "lua", "md": "markdown",
	"markdown": "markdown", "mjs": "javascript", "mk": "make", "nix": "nix", "patch": "diff", "php": "php",
	"pl": "perl", "properties": "ini", "proto": "protobuf", "ps1": "powershell", "py": "python", "rb": "ruby",
	"rs": "rust", "scss": "scss", "sh": "bash", "sql": "sql", "svg": "xml", "swift": "swift", "templ": "go",
	"tf": "hcl", "toml": "toml", "ts": "typescript", "tsx": "typescript", "vim": "vim", "xml": "xml",
	"yaml": "yaml", "yml": "yaml", "zig": "zig", "zsh": "bash",
	"container": "ini", "network": "ini", "volume": "ini", "image": "ini", "pod": "ini", "kube": "ini",
	"swap": "ini", "endpoint": "ini", "service": "ini", "timer": "ini", "socket": "ini", "mount": "ini",
	"path": "ini", "target": "ini", "slice": "ini", "build": "ini", "automount": "ini", "desktop": "ini",
	"repo": "ini", "nmconnection": "ini", "netdev": "ini",
}
