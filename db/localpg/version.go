package localpg

import (
	"cmp"
	"regexp"
	"strconv"
)

var (
	digits       = regexp.MustCompile(`\d+`)
	serverMajor  = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)
	extensionVer = regexp.MustCompile(`(?m)^\s*default_version\s*=\s*'([^']+)'`)
)

// compareVersions orders dotted versions by their numbers, as cmp.Compare does;
// missing ones count as 0.
func compareVersions(a, b string) int {
	x, y := digits.FindAllString(a, -1), digits.FindAllString(b, -1)
	number := func(parts []string, i int) int {
		if i >= len(parts) {
			return 0
		}
		n, _ := strconv.Atoi(parts[i]) // digits only; saturates when absurdly long
		return n
	}
	for i := range max(len(x), len(y)) {
		if c := cmp.Compare(number(x, i), number(y, i)); c != 0 {
			return c
		}
	}
	return 0
}

// submatch is the first group of re in text, or "".
func submatch(re *regexp.Regexp, text []byte) string {
	if m := re.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}
