package retrieval

// Comparison sets two reports on the same questions side by side, such as two
// thresholds or two embedders.
type Comparison struct {
	A       Report   `json:"a"`
	B       Report   `json:"b"`
	Changes []Change `json:"changes"` // questions that went otherwise
}

// Change is a question that ranked or was judged otherwise.
type Change struct {
	A Outcome `json:"a"`
	B Outcome `json:"b"`
}

// Compare matches the reports' outcomes by id.
func Compare(a, b Report) Comparison {
	c := Comparison{A: a, B: b}
	byID := map[string]Outcome{}
	for _, o := range b.Outcomes {
		byID[o.ID] = o
	}
	for _, o := range a.Outcomes {
		if other, ok := byID[o.ID]; ok && (o.Deflected != other.Deflected || o.Answer && o.Rank != other.Rank) {
			c.Changes = append(c.Changes, Change{o, other})
		}
	}
	return c
}
