package chunk

import (
	"regexp"
	"strings"
)

var (
	yamlKey  = regexp.MustCompile(`^(?:"([^"]*)"|'([^']*)'|([^\s#{}\[\]%@&*!|>"'-][^#]*?|-[^\s-][^#]*?))\s*:(?:\s|$)`)
	yamlItem = regexp.MustCompile(`^-(?:\s+(?:name:\s*(.*))?|$)`)
)

// yaml finds documents, top-level keys and top-level list items. Comments directly above belong to what follows.
// A new document starts at "---" and takes its first key along.
func yaml(d *document) []section {
	d.indentation()
	var list []section
	floor, fresh := -1, false
	start := func(i int, heading string, level int) {
		at := d.leadIn(i, floor, isComment)
		list = append(list, section{at, heading, level})
		floor = i
	}
	for i := range d.lines() {
		line := d.line(i)
		if line == "---" || strings.HasPrefix(line, "--- ") {
			start(i, "", 1)
			fresh = true
			continue
		}
		heading, found := yamlHeading(line)
		if !found {
			continue
		}
		if fresh {
			list[len(list)-1].heading = heading
		} else {
			start(i, heading, 0)
		}
		fresh = false
	}
	return list
}

func yamlHeading(line string) (heading string, found bool) {
	if m := yamlItem.FindStringSubmatch(line); m != nil {
		return strings.Trim(m[1], `"'`), true
	}
	if m := yamlKey.FindStringSubmatch(line); m != nil {
		return m[1] + m[2] + m[3], true
	}
	return "", false
}

func isComment(line string) bool {
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") || strings.HasPrefix(line, "//")
}

var iniSection = regexp.MustCompile(`^\[{1,2}([^\[\]]+(?:\[[^\]]*\])?)\]{1,2}\s*(?:[#;].*)?$`)

// ini finds the sections of quadlets, units, INI and TOML. Comments directly above belong to what follows.
func ini(d *document) []section {
	d.indentation()
	var list []section
	floor := -1
	for i := range d.lines() {
		if m := iniSection.FindStringSubmatch(d.line(i)); m != nil {
			list = append(list, section{first: d.leadIn(i, floor, isComment), heading: m[1]})
			floor = i
		}
	}
	return list
}

// jsonKeys finds the lines where a member of the top-level object, or an element of the top-level list, starts. It
// tolerates what isn't quite JSON: a wrong guess costs no more than a worse place to cut.
func jsonKeys(d *document) []section {
	d.indentation()
	var list []section
	depth, line := 0, 0
	expects := false // the next token starts a member or an element
	for i := 0; i < len(d.text); i++ {
		c := d.text[i]
		switch c {
		case '\n':
			line++
			continue
		case ' ', '\t', '\r', ':':
			continue
		}
		end := i
		if c == '"' {
			end = stringEnd(d.text, i)
		}
		if expects && depth == 1 && c != '}' && c != ']' && (len(list) == 0 || list[len(list)-1].first < line) {
			heading := ""
			if c == '"' {
				heading = d.text[i+1 : max(i+1, end)]
			}
			list = append(list, section{first: line, heading: heading})
		}
		expects = false
		switch c {
		case '{', '[':
			depth++
			expects = true
		case '}', ']':
			depth--
		case ',':
			expects = true
		}
		i = end
	}
	return list
}

// stringEnd is the offset of the quote that closes the string at i. Strings don't span lines: one without an end
// stops before the next line.
func stringEnd(s string, i int) int {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			if j+1 < len(s) && s[j+1] != '\n' {
				j++
			}
		case '"':
			return j
		case '\n':
			return j - 1
		}
	}
	return len(s) - 1
}
