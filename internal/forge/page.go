package forge

import (
	"fmt"
	"path"
	"strings"
)

// pages write the address of a place behind the scheme; empty when there is none.
// The forms are those of the forges' own "permalink" buttons.
var pages = map[Kind]func(remote, Place) string{
	GitHub: func(r remote, p Place) string {
		return repository(r) + "/blob/" + p.Revision + "/" + escape(p.Path) + source(p, "?plain=1") + lines(p, "#L%d", "#L%d-L%d")
	},
	GitLab: func(r remote, p Place) string {
		return repository(r) + "/-/blob/" + p.Revision + "/" + escape(p.Path) + source(p, "?plain=1") + lines(p, "#L%d", "#L%d-%d")
	},
	Gitea: func(r remote, p Place) string {
		return repository(r) + "/src/commit/" + p.Revision + "/" + escape(p.Path) + source(p, "?display=source") + lines(p, "#L%d", "#L%d-L%d")
	},
	Bitbucket: func(r remote, p Place) string {
		return repository(r) + "/src/" + p.Revision + "/" + escape(p.Path) + lines(p, "#lines-%d", "#lines-%d:%d")
	},
	BitbucketServer: bitbucketServer,
	Sourcehut: func(r remote, p Place) string {
		return repository(r) + "/tree/" + p.Revision + "/item/" + escape(p.Path) + source(p, "?view-source") + lines(p, "#L%d", "#L%d-%d")
	},
	Cgit: func(r remote, p Place) string { // has no ranges, and keeps ".git"
		return r.host + "/" + escape(r.path) + "/tree/" + escape(p.Path) + "?id=" + p.Revision + lines(Place{First: p.First}, "#n%d", "")
	},
}

func repository(r remote) string {
	return r.host + "/" + escape(strings.TrimSuffix(r.path, ".git"))
}

// source asks for a document's source when lines of it are wanted and the forge
// would show it rendered, which has no lines.
func source(p Place, query string) string {
	if ext := strings.ToLower(path.Ext(p.Path)); p.First == 0 || ext != ".md" && ext != ".markdown" {
		return ""
	}
	return query
}

// lines is the part of an address that marks lines.
func lines(p Place, one, several string) string {
	switch {
	case p.First == 0:
		return ""
	case p.Last <= p.First:
		return fmt.Sprintf(one, p.First)
	}
	return fmt.Sprintf(several, p.First, p.Last)
}

// bitbucketServer has projects and, with a tilde, users; repositories are fetched
// from /scm/PROJECT/name.git over https and /PROJECT/name.git over ssh.
func bitbucketServer(r remote, p Place) string {
	parts := strings.Split(strings.TrimSuffix(r.path, ".git"), "/")
	if len(parts) < 2 {
		return ""
	}
	before, project, name := parts[:len(parts)-2], parts[len(parts)-2], parts[len(parts)-1]
	if n := len(before); n > 0 && before[n-1] == "scm" {
		before = before[:n-1]
	}
	group := "projects"
	if user, ok := strings.CutPrefix(project, "~"); ok {
		group, project = "users", user
	}
	to := append(append([]string{}, before...), group, project, "repos", name, "browse", p.Path)
	if !plain(strings.Join(to, "/")) {
		return ""
	}
	return r.host + "/" + escape(strings.Join(to, "/")) + "?at=" + p.Revision + lines(p, "#%d", "#%d-%d")
}
