package handlers

import (
	"fmt"
	"time"

	"bor/views"
)

// moment writes a point in time as people say it, seen from now.
func moment(t, now time.Time) views.Moment {
	if t.IsZero() {
		return views.Moment{Text: "never"}
	}
	return views.Moment{Text: ago(now.Sub(t)), Exact: t.UTC().Format("2006-01-02 15:04:05 UTC"), ISO: t.UTC().Format(time.RFC3339)}
}

func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d/time.Minute))
	case d < 2*time.Hour:
		return "1 hour ago"
	case d < 24*time.Hour:
		return fmt.Sprintf("%d hours ago", int(d/time.Hour))
	case d < 48*time.Hour:
		return "1 day ago"
	}
	return fmt.Sprintf("%d days ago", int(d/(24*time.Hour)))
}

// span writes how long something takes.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, int(d/time.Second)))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int((d+time.Minute/2)/time.Minute))
	}
	return fmt.Sprintf("%d h %d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
}
