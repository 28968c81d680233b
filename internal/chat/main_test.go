package chat

import (
	"testing"

	"bor/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
