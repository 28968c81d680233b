// Package lexical is the product's one tokeniser: documents and questions both
// go through it, so that they meet whatever spelling each of them chose (DEC23).
// It makes the text of tsvector and tsquery values; PostgreSQL stores and
// matches them and never splits or stems anything itself. It is pure.
//
// # Words
//
// Text is cut at white space and punctuation into tokens. A token that holds a
// connector (. _ - / \ : = @ +) or a change of case inside is an identifier, any
// other is a word. All terms are folded: Unicode case folding, compatibility
// forms composed, accents dropped. Words lose English inflection (see stem) and
// English function words are dropped; both only happen to plain letters, never to
// a whole identifier. Scripts without spaces give overlapping pairs of characters.
//
// An identifier gives, all at the position of its token:
//
//	net.ipv4.ip_forward   itself; net, ipv4, ip_forward; ipforward; ip, forward
//	--userns=keep-id      userns=keep-id; userns; keep-id; keepid; keep, id
//	PublishPort           publishport; publish, port
//
// so that any part, and a compound in any case style, finds it. Parts are words
// and are stemmed like words. A token longer than maxTerm characters isn't a term
// as a whole, its parts are.
//
// # Fields
//
// A chunk is indexed with its document's title and path and its nearest heading,
// so "gufo.container" finds a file of that name whose text never says so. A term's
// weight is its number of positions (PostgreSQL keeps 255): the title and the
// file's name count twice, the folders and the heading once. Labels (setweight)
// were rejected: ranking by BM25 needs counts, and reading labels back costs an
// unnest of every candidate. A chunk's length, for BM25, is the number of words
// of its text alone, so that a long path is no handicap.
//
// # What was rejected
//
// PostgreSQL's own parser (it splits net.ipv4.ip_forward and stems userns),
// dictionaries (they differ between servers), and n-grams of all words (they
// multiply the index; typing errors are met by trigrams over the list of terms).
package lexical

// Version changes whenever the same text gives other terms; documents indexed by
// another version are indexed anew.
const Version = 1
