package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"bor/db"
	"bor/internal/fault"
	"bor/internal/kb"
	"bor/internal/verbatim"
)

// MaxQuestion is the longest question, in characters.
const MaxQuestion = 16000

// Visitor is who asks: a browser session and what it signed in as. A
// conversation belongs to both (DEC13).
type Visitor struct {
	Session   string // random, kept in the browser's session
	Principal string // "admin"
}

// Turn is one question with what became of it.
type Turn struct {
	ID           int64
	Conversation int64
	Question     string
	State        State
	Record       Record // of a running turn: what is stored so far
	Seq          int64  // number of the last event that Record holds
	Started      time.Time
}

// Job is one turn's work.
type Job struct {
	Turn     int64 // 0: of a turn that isn't stored
	Question string
	History  []Exchange // earlier turns, oldest first, within the budgets
}

// Outcome is what the work ended with, beside what its sink was told.
type Outcome struct {
	Deflected   bool
	Incomplete  Incomplete
	Blocks      []verbatim.Block // the answer's panels: those with a place in order, then the others
	Sources     []Source
	Suggestions []string
	Facts       Facts
}

// Answerer does a turn's work: it reports to the sink and returns. An error it
// returns is told to the visitor by fault.PublicOf or an llm.Error's words.
type Answerer interface {
	Answer(ctx context.Context, job Job, sink Sink) (Outcome, error)
}

// Limits bound turns and conversations. Zero switches a limit off.
type Limits struct {
	HistoryTurns int           // earlier turns given to the model
	HistoryChars int           // characters of earlier turns, thinking counted
	FirstToken   time.Duration // without any output for so long, a turn fails (DEC14)
	UnsavedTTL   time.Duration // a conversation ends so long after its last turn
	AbandonAfter time.Duration // a turn ends when nobody has read it for so long; at least abandonAtLeast
}

// Service accepts, runs and shows turns. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	answerer Answerer
	limits   Limits
	owner    string
	broker   *broker
	journal  *journal
	readers  *readers
	work     sync.WaitGroup

	observers []Observer

	alive   context.Context // of every turn; ends when the process accepts no more
	end     context.CancelCauseFunc
	closing sync.RWMutex // read-locked while a question is accepted
}

// New makes the service of one process; owner must differ from every other
// process's, also from earlier ones on this host. Run must run beside it.
func New(d *db.DB, a Answerer, owner string, l Limits) *Service {
	s := &Service{db: d, answerer: a, owner: owner, limits: l, broker: newBroker(), journal: newJournal(d.Queries, owner), readers: newReaders(l.AbandonAfter > 0)}
	s.alive, s.end = context.WithCancelCause(context.Background())
	return s
}

// Start accepts a question. conversation is 0 for a new one. The same submit id
// returns the turn it once started; another one while a turn runs is refused
// with fault.Conflict (DEC12), as is a known one with another question, whose words
// would be lost otherwise.
func (s *Service) Start(ctx context.Context, who Visitor, conversation int64, submit, question string) (Turn, error) {
	question, err := askable(question)
	if err != nil {
		return Turn{}, err
	}
	if submit == "" || len(submit) > 64 || kb.Storable(submit) != submit {
		return Turn{}, fault.New(fault.Invalid, "The form lacks its submit id. Reload the page and send the question again.")
	}
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.alive.Err() != nil {
		return Turn{}, errClosed
	}
	var row db.Turn
	known := false
	err = s.db.Tx(ctx, func(q *db.Queries) error {
		var err error
		row, known, err = s.accept(ctx, q, who, conversation, submit, question)
		return err
	})
	if err != nil {
		return Turn{}, err
	}
	switch {
	case !known:
		s.launch(row)
	case row.Question != question:
		return Turn{}, fault.New(fault.Conflict, "This form has sent another question before, and that one was taken. Copy these words, reload the page and send them from there.")
	}
	return turnOf(row)
}

// askable is a question as it is stored, or what is wrong with it.
func askable(question string) (string, error) {
	question = strings.TrimSpace(kb.Storable(question))
	switch {
	case question == "":
		return "", fault.New(fault.Invalid, "The question is empty. Write what you want to know.")
	case utf8.RuneCountInString(question) > MaxQuestion:
		return "", fault.New(fault.Invalid, fmt.Sprintf("The question is longer than %d characters. Shorten it and send it again.", MaxQuestion))
	}
	return question, nil
}

// accept finds the turn of a repeated submit, or stores a new one.
func (s *Service) accept(ctx context.Context, q *db.Queries, who Visitor, conversation int64, submit, question string) (db.Turn, bool, error) {
	if err := q.LockSubmit(ctx, db.LockSubmitParams{Visitor: who.Session, SubmitID: submit}); err != nil {
		return db.Turn{}, false, err
	}
	row, err := q.GetTurnBySubmit(ctx, db.GetTurnBySubmitParams{SubmitID: submit, Visitor: who.Session, Principal: who.Principal})
	if err == nil || !errors.Is(err, pgx.ErrNoRows) {
		return row, true, err
	}
	if conversation == 0 {
		conversation, err = q.CreateConversation(ctx, db.CreateConversationParams{Visitor: who.Session, Principal: who.Principal})
	} else {
		_, err = q.LockConversation(ctx, db.LockConversationParams{ID: conversation, Visitor: who.Session, Principal: who.Principal})
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return db.Turn{}, false, errNoConversation
	}
	if err != nil {
		return db.Turn{}, false, err
	}
	if _, err := q.GetRunningTurn(ctx, conversation); err == nil {
		return db.Turn{}, false, fault.New(fault.Conflict, "An answer is still being written in this conversation. Wait for it to end, or stop it, and send the question again.")
	} else if !errors.Is(err, pgx.ErrNoRows) {
		return db.Turn{}, false, err
	}
	if err := q.TouchConversation(ctx, conversation); err != nil {
		return db.Turn{}, false, err
	}
	row, err = q.CreateTurn(ctx, db.CreateTurnParams{
		ConversationID: conversation, SubmitID: submit, Question: question, Owner: s.owner, Lease: lease})
	return row, false, err
}

// Retry asks a turn's question again, once however often it is pressed.
func (s *Service) Retry(ctx context.Context, who Visitor, turn int64) (Turn, error) {
	row, err := s.turnRow(ctx, who, turn)
	if err != nil {
		return Turn{}, err
	}
	return s.Start(ctx, who, row.ConversationID, fmt.Sprintf("retry-%d", turn), row.Question)
}

// Stop asks for a running turn's end, wherever it runs. A turn that has ended
// stays as it is.
func (s *Service) Stop(ctx context.Context, who Visitor, turn int64) error {
	row, err := s.turnRow(ctx, who, turn)
	if err != nil {
		return err
	}
	if State(row.State) != Running {
		return nil
	}
	if _, err := s.db.RequestStop(ctx, turn); err != nil {
		return fmt.Errorf("chat: stopping turn %d: %w", turn, err)
	}
	s.broker.cancel(turn, errStopped)
	return nil
}

// Turn is one turn of the visitor's, with its record as it is now.
func (s *Service) Turn(ctx context.Context, who Visitor, turn int64) (Turn, error) {
	row, err := s.turnRow(ctx, who, turn)
	if err != nil {
		return Turn{}, err
	}
	return s.fill(ctx, row)
}

// Conversation lists the turns of a conversation of the visitor's, oldest first.
func (s *Service) Conversation(ctx context.Context, who Visitor, id int64) ([]Turn, error) {
	_, err := s.db.GetConversation(ctx, db.GetConversationParams{ID: id, Visitor: who.Session, Principal: who.Principal})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errNoConversation
	}
	if err != nil {
		return nil, err
	}
	rows, err := s.db.ListTurns(ctx, id)
	if err != nil {
		return nil, err
	}
	turns := make([]Turn, len(rows))
	for i, row := range rows {
		if turns[i], err = s.fill(ctx, row); err != nil {
			return nil, err
		}
	}
	return turns, nil
}

// RecentQuestions are the visitor's own last answered questions, newest first.
func (s *Service) RecentQuestions(ctx context.Context, who Visitor, limit int) ([]string, error) {
	return s.db.ListRecentQuestions(ctx, db.ListRecentQuestionsParams{Visitor: who.Session, Principal: who.Principal, Limit: int32(limit)})
}

// fill gives a turn its record: an ended one has it, a running one's is the fold
// of its events.
func (s *Service) fill(ctx context.Context, row db.Turn) (Turn, error) {
	t, err := turnOf(row)
	if err != nil || t.State != Running {
		return t, err
	}
	s.readers.heard(row.ID)
	var f *Follower
	if log := s.broker.log(row.ID); log != nil {
		f = s.followLog(row.ID, log)
	} else if f, err = s.followStore(ctx, row.ID); err != nil {
		return Turn{}, err
	}
	defer f.Close()
	t.Record, t.Seq, t.State = f.Record, f.Seq, f.Record.State // it may have ended since the row was read
	return t, nil
}

func (s *Service) turnRow(ctx context.Context, who Visitor, turn int64) (db.Turn, error) {
	row, err := s.db.GetTurn(ctx, db.GetTurnParams{ID: turn, Visitor: who.Session, Principal: who.Principal})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, fault.New(fault.NotFound, "There is no such answer in your conversations. It may have expired, or belong to another sign-in.")
	}
	return row, err
}

var errNoConversation = fault.New(fault.NotFound, "There is no such conversation among yours. It may have expired, or belong to another sign-in.")

// launch runs an accepted turn in the background.
func (s *Service) launch(row db.Turn) {
	ctx, cancel := context.WithCancelCause(s.alive)
	log := newTurnLog()
	s.broker.add(row.ID, &running{log: log, cancel: cancel})
	s.work.Go(func() {
		defer s.broker.remove(row.ID)
		defer cancel(nil)
		rec := &recorder{journal: s.journal, turn: row.ID, log: log, lost: cancel}
		err := s.perform(ctx, cancel, row, rec)
		switch {
		case errors.Is(err, errLost):
			slog.Warn("turns: a turn that ran here was ended by another server", "turn", row.ID)
		case err != nil:
			slog.Error("turns: a turn's end could not be stored; another server will end it", "turn", row.ID, "error", err)
		}
		if err != nil {
			log.abandon()
		}
	})
}

func turnOf(row db.Turn) (Turn, error) {
	t := Turn{ID: row.ID, Conversation: row.ConversationID, Question: row.Question, State: State(row.State), Started: row.StartedAt, Seq: row.LastSeq}
	if t.State == Running {
		t.Record, t.Seq = Record{Who: "brain", State: Running}, 0
		return t, nil
	}
	var err error
	t.Record, err = recordOf(row.Record)
	return t, err
}

func recordOf(raw []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("chat: a stored record can't be read: %w", err)
	}
	return r, nil
}
