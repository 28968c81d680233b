package agent

import (
	_ "embed"
	"fmt"
	"strings"

	"bor/internal/kb"
)

// The prompt's fixed words.
var (
	//go:embed prompt/persona.md
	personaText string
	//go:embed prompt/verbatim.md
	verbatimText string
	//go:embed prompt/tools.md
	toolsText string
	//go:embed prompt/show_text.md
	showTextText string
	//go:embed prompt/show_image.md
	showImageText string
	//go:embed prompt/deflect.md
	deflectText string
)

// prompt is a system prompt before its last section, the tools: they depend on
// which documents stand whole in it.
type prompt struct {
	sections []string
	whole    []Document
}

// promptOf writes the prompt of a turn: who answers and how, the gate's verdict,
// what the knowledge base is about, steering notes, then the documents or the
// way to deflect (AG6). A section without content is absent.
func promptOf(t Turn) prompt {
	p := prompt{}
	p.add(strings.ReplaceAll(personaText, "{name}", oneLine(t.Settings.Name)))
	p.add("<relevance>" + string(t.Relevance) + "</relevance>")
	p.addSection("knowledge_base", sectionBody(budget(t.Overview, t.Settings.OverviewMaxChars)))
	p.addSection("tuning", sectionBody(budget(notes(t.Tuning), t.Settings.TuningMaxChars)))
	if t.Relevance != High {
		p.add(deflectText + titles(t.WeakTitles))
		return p
	}
	var documents string
	documents, p.whole = documentBlocks(t.Documents, t.Settings.DocumentsMaxChars)
	p.addSection("documents", documents)
	if t.Answer != nil {
		p.addSection("verbatim", verbatimText)
	}
	return p
}

// text is the finished prompt, with the tools that are offered.
func (p prompt) text(tools []Tool) string {
	if len(tools) > 0 {
		p.addSection("tools", toolsSection(tools))
	}
	return strings.Join(p.sections, "\n\n") + "\n"
}

func (p *prompt) add(section string) {
	p.sections = append(p.sections, strings.TrimRight(section, "\n"))
}

func (p *prompt) addSection(tag, body string) {
	if strings.TrimSpace(body) != "" {
		p.add("<" + tag + ">\n" + strings.Trim(body, "\n") + "\n</" + tag + ">")
	}
}

// documentBlocks writes the documents, best first. One that the budget of
// maxChars doesn't hold is never cut: it is only named, with its length and best
// lines, for the model to read (DEC25).
func documentBlocks(documents []Document, maxChars int) (text string, whole []Document) {
	var b strings.Builder
	left := maxChars
	for _, d := range documents {
		fmt.Fprintf(&b, `<document source="%s" path="%s" title="%s"`, attribute(d.Source), attribute(d.Path), attribute(d.Title))
		if d.Kind == kb.KindImage {
			// All that is known of it, and no more than a caption.
			fmt.Fprintf(&b, " kind=\"image\">\n%s\n</document>\n", documentBody(d.Summary))
			continue
		}
		chars := kb.Chars(d.Content)
		if maxChars > 0 && chars > left {
			fmt.Fprintf(&b, ` lines="%d"`, kb.SplitLines(d.Content).Count())
			if d.First > 0 {
				fmt.Fprintf(&b, ` best="%d-%d"`, d.First, d.Last)
			}
			b.WriteString("/>\n")
			continue
		}
		left -= chars
		whole = append(whole, d)
		fmt.Fprintf(&b, ">\n%s\n</document>\n", documentBody(d.Content))
	}
	return b.String(), whole
}

// toolsSection says what each tool takes, by the first paragraph of its
// description, and how to work with them.
func toolsSection(tools []Tool) string {
	var b strings.Builder
	showing := ""
	for _, t := range tools {
		spec := t.Spec()
		purpose, _, _ := strings.Cut(spec.Description, "\n\n")
		fmt.Fprintf(&b, "- %s\n", oneLine(purpose))
		switch spec.Name {
		case "show_text":
			showing += showTextText
		case "show_image":
			showing += showImageText
		}
	}
	return b.String() + "\n" + toolsText + showing
}

func notes(tuning []string) string {
	var b strings.Builder
	for _, note := range tuning {
		fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(note))
	}
	return b.String()
}

func titles(weak []string) string {
	if len(weak) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nTitles that come nearest:\n")
	for _, title := range weak {
		fmt.Fprintf(&b, "- %s\n", sectionBody(oneLine(title)))
	}
	return b.String()
}
