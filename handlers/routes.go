package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"bor/static"
)

// routes is every route there is. Those of signedIn want the admin; the others
// are public.
func (s *Server) routes(e *echo.Echo) {
	e.Use(patient, s.policy, recovered, s.sameOrigin)
	e.Match([]string{http.MethodGet, http.MethodHead}, "/healthz", s.showHealth)
	e.Match([]string{http.MethodGet, http.MethodHead}, "/readyz", s.showReady)
	e.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))

	public := e.Group("", middleware.BodyLimit("1M"), form, s.session)
	public.GET("/login", s.showLogin)
	public.POST("/login", s.login)
	public.POST("/logout", s.logout)

	signedIn := public.Group("", s.admitted)
	signedIn.GET("/", s.showChat)
	signedIn.GET("/c/:conversation", s.showConversation)
	signedIn.POST("/chat", s.createTurn)
	signedIn.POST("/chat/new", s.createConversation)
	signedIn.POST("/chat/turns/:turn/stop", s.stopTurn)
	signedIn.POST("/chat/turns/:turn/retry", s.retryTurn)
	signedIn.GET("/chat/turns/:turn/events", s.streamTurn)
	signedIn.GET("/chat/turns/:turn/answer.md", s.showAnswerText)
	signedIn.GET("/chat/turns/:turn/blocks/:block", s.showBlock)
	signedIn.GET("/chat/turns/:turn/steps/:step", s.showStep)
	signedIn.GET("/document", s.showDocument)
	signedIn.GET("/document/raw", s.showRawDocument)
}
