package localpg

import (
	"regexp"
	"strconv"
)

var (
	digits       = regexp.MustCompile(`\d+`)
	serverMajor  = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)
	extensionVer = regexp.MustCompile(`(?m)^\s*default_version\s*=\s*'([^']+)'`)
)

// versionLess orders dotted versions by their numbers; missing ones count as 0.
func versionLess(a, b string) bool {
	x, y := digits.FindAllString(a, -1), digits.FindAllString(b, -1)
	number := func(parts []string, i int) int {
		if i >= len(parts) {
			return 0
		}
		n, _ := strconv.Atoi(parts[i]) // digits only; saturates when absurdly long
		return n
	}
	for i := range max(len(x), len(y)) {
		if m, n := number(x, i), number(y, i); m != n {
			return m < n
		}
	}
	return false
}

// submatch is the first group of re in text, or "".
func submatch(re *regexp.Regexp, text []byte) string {
	if m := re.FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return ""
}
