package localpg

import (
	"net/url"
	"strings"
)

// connURL is the connection string of role for database db on the socket in
// folder dir. The port is named because PGPORT may be set elsewhere, and spaces
// are %20 because libpq does not read "+" as one.
func connURL(role, db, dir string) string {
	host := strings.ReplaceAll(url.QueryEscape(dir), "+", "%20")
	return "postgres://" + role + "@/" + db + "?host=" + host + "&port=" + port + "&sslmode=disable"
}
