package llm

import (
	"encoding/json"
	"fmt"
	"slices"
)

// callAssembler puts tool calls together from their pieces. Servers number and
// name pieces in many ways: without an index, all with 0, from 1, with ids only
// in the first piece or in all, with names repeated. A piece goes to the call
// that it most likely continues; see continues.
type callAssembler struct{ calls []*openCall }

type openCall struct {
	index    int
	id, name string
	text     []byte // of the arguments
}

func (a *callAssembler) add(p callPiece) {
	call := a.find(p)
	if call == nil {
		call = &openCall{index: p.index}
		a.calls = append(a.calls, call)
	}
	if call.id == "" {
		call.id = p.id
	}
	if call.name == "" {
		call.name = p.name
	} else if p.name != call.name && len(call.text) == 0 {
		call.name += p.name
	}
	if p.arguments == "" {
		return
	}
	if p.whole || string(call.text) == "{}" { // some begin with an empty object and then send the real one
		call.text = call.text[:0]
	}
	call.text = append(call.text, p.arguments...)
}

// find gives the call that the piece continues; nil when it begins one.
func (a *callAssembler) find(p callPiece) *openCall {
	for _, call := range a.calls {
		if p.id != "" && p.id == call.id {
			return call
		}
	}
	for _, call := range slices.Backward(a.calls) {
		if p.index >= 0 && call.index >= 0 && p.index != call.index {
			continue
		}
		if continues(call, p) {
			return call
		}
		return nil
	}
	return nil
}

// continues reports whether a piece with the same index, or none, goes on with
// the call: not when it brings another id, nor when it names a tool although
// the call's arguments are complete.
func continues(call *openCall, p callPiece) bool {
	if p.id != "" && call.id != "" {
		return false // equal ids were found before
	}
	named := p.name != "" && call.name != "" && (p.name != call.name || p.arguments != "")
	return !named || !json.Valid(call.text)
}

// broken reports whether the arguments of a call are not whole.
func (a *callAssembler) broken() bool {
	return slices.ContainsFunc(a.calls, func(c *openCall) bool { return !json.Valid(c.text) })
}

// finish gives the calls. Missing ids are made from offset, the number of calls
// that the conversation already has.
func (a *callAssembler) finish(offset int) []ToolCall {
	var calls []ToolCall
	for i, c := range a.calls {
		var join textJoiner
		call := ToolCall{ID: c.id, Name: c.name, Arguments: join.write(string(c.text)) + join.flush()}
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d", offset+i+1)
		}
		if call.Arguments == "" || call.Arguments == "null" {
			call.Arguments = "{}"
		}
		calls = append(calls, call)
	}
	return calls
}
