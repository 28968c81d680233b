package views

import (
	"fmt"
	"strconv"
)

// QuestionsPage is the query log.
type QuestionsPage struct {
	Shell     Shell
	Deflected bool // only the deflected are listed
	Later     bool // this isn't the newest page
	Days      []QuestionDay
	Rows      []QuestionRow
	OlderURL  string // empty: there are no older ones
}

// QuestionDay is what one day came to.
type QuestionDay struct {
	Date      string // 2006-01-02
	Turns     int
	Deflected int // of them
}

// QuestionRow is one question.
type QuestionRow struct {
	Asked     string // by UTC
	Question  string
	Score     string // cosine of the nearest chunk
	Words     int    // chunks that the words found
	Deflected bool
	Why       string // the rule that decided on that
	Sources   []Link
	First     string // time to the first text; may be empty
	Took      string
}

// The chart's measures, in units of its view box.
const (
	barWidth    = 20
	barGap      = 4
	chartHeight = 120
)

// bar is a day's column: all turns, and the deflected ones at its foot.
type bar struct {
	x, y, height int
	footY        int
	foot         int
	title        string
}

// bars are the days' columns, the highest of them as high as the chart. What isn't
// zero can be seen.
func (p QuestionsPage) bars() []bar {
	most := 1
	for _, d := range p.Days {
		most = max(most, d.Turns)
	}
	high := func(n int) int {
		if n == 0 {
			return 0
		}
		return max(2, n*chartHeight/most)
	}
	all := make([]bar, len(p.Days))
	for i, d := range p.Days {
		all[i] = bar{x: i * (barWidth + barGap), height: high(d.Turns), foot: high(d.Deflected), title: fmt.Sprintf("%s: %s", d.Date, counts(d.Turns, d.Deflected))}
		all[i].y, all[i].footY = chartHeight-all[i].height, chartHeight-all[i].foot
	}
	return all
}

func (p QuestionsPage) viewBox() string {
	return fmt.Sprintf("0 0 %d %d", max(1, len(p.Days)*(barWidth+barGap)-barGap), chartHeight)
}

// total says in words what the chart shows.
func (p QuestionsPage) total() string {
	turns, deflected := 0, 0
	for _, d := range p.Days {
		turns += d.Turns
		deflected += d.Deflected
	}
	return fmt.Sprintf("%s in the last %d days", counts(turns, deflected), len(p.Days))
}

func counts(turns, deflected int) string {
	noun := "questions"
	if turns == 1 {
		noun = "question"
	}
	return fmt.Sprintf("%d %s, %d without notes", turns, noun, deflected)
}

func units(n int) string { return strconv.Itoa(n) }
