package markdown

import "strconv"

// config is what differs between an answer and a document.
type config struct {
	prefix    string                                             // of every id
	fence     func(n int, f Fence) string                        // nil: bor fences are plain code
	isLocator func(string) bool                                  // whether a string is a locator
	headingID func(n int, text string) string                    // n counts from 1
	linkTo    func(dest string) (href string, out bool, ok bool) // out: leaves this server
	imageAt   func(dest string) (src string, ok bool)            // only images of this server
	codeLabel string                                             // accessible name of a code region
}

// answerConfig makes the config of an answer from its Options.
func answerConfig(o Options) *config {
	c := &config{
		prefix: o.IDPrefix, fence: o.Fence, isLocator: o.IsLocator,
		linkTo: answerLink, imageAt: answerImage, codeLabel: "Code by the model",
	}
	if c.isLocator == nil {
		c.isLocator = func(s string) bool { return s != "" }
	}
	c.headingID = func(n int, _ string) string { return c.prefix + "h" + strconv.Itoa(n) }
	return c
}
