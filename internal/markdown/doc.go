// Package markdown turns Markdown into safe HTML on the server: answers of a
// model while they stream in (Stream), the same text in one go (Render),
// documents of the knowledge base (RenderDocument), and exact bytes as code
// (Code). It owns what HTML may come out of untrusted text; its callers put that
// HTML into pages as it is.
//
// # How an answer streams
//
// A line goes to goldmark's block parser as soon as it is whole (outline), which
// says whether the line belongs to the open top-level block. While a block is
// open its source is appended to the page as plain text; when it ends it is
// rendered once, alone, and put in place if it looks different (DEC1). A
// finished block is final: it is sent again only at Close, and only if a link
// definition further down concerns it. The part of a line that has arrived is
// shown too, in the block in which it certainly stands, else in the open one.
//
// Invariants, held by tests:
//
//   - However the text is cut, the ops of a Stream build the page that Render
//     builds; and a page made of Blocks goes on with the next Write's ops.
//   - Not a character of a locator fence's body is in any op, block or HTML. A
//     line that could still open a fence isn't shown before that is decided.
//   - Every line is parsed at most three times, every block is rendered once
//     (twice if a definition follows it), and every panel is sent once.
//   - Only the elements and attributes that the writer names come out. Raw HTML
//     is text, addresses pass an allow list, there are no inline styles and no
//     attributes that any script library acts on.
//   - The HTML has no CR and may be cut at any LF, so it fits the data lines of
//     server-sent events: join the lines by LF again.
//
// # What the page does with the ops
//
// The answer's element holds blocks, <div class="block" id="t12-b3">, and
// nothing else. In htmx words, each op is one <hx-partial> with the Op's Target
// as hx-target and, as hx-swap:
//
//   - Open: "beforeend", into the answer's element.
//   - Append: "beforeend". Text goes on right behind the last character.
//   - Fill: "innerMorph".
//   - Remove: "delete".
//
// All ops of one Write may go in one message. Their targets exist before it.
//
// The place of locator fence n is <div class="fence-slot" id="t12-f0">, around
// what Options.Fence returned. A Fill of a block whose fence the page already
// has carries that div empty: the page must keep the element it has, content and
// all, and put it where the empty one stands (DEC2). htmx's morph does so by the
// id, given the setting morphSkip ".fence-slot"; a page without htmx moves the
// element itself. Whoever resolves a fence later makes the panel the content of
// that div, and makes Options.Fence return it from then on.
//
// Classes for the style sheet: block and fence-slot (display: contents), tail
// (source text of an open block: white-space: pre-wrap), waiting, code-block,
// table-wrap, align-center, align-right, ctl, and the colours k s c n gi gd.
//
// # Rejected
//
// Rendering the open block again and again (bytes and layout shift), a block
// scanner of our own beside goldmark's (two opinions on where a fence ends are a
// leak), resuming goldmark from the last block's source on every delta
// (quadratic in long lists), rendering an open list around each new panel (sends
// the list once for each), goldmark's HTML renderer with overrides (allows what
// it isn't told to refuse), and a sanitiser behind it (the same, twice).
package markdown
