package handlers

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"bor/static"
)

// routes is every route there is. Those of signedIn and apiSignedIn want the admin;
// the others are public. A route of the API has its place in openapi.json too.
func (s *Server) routes(e *echo.Echo) {
	e.Use(patient, s.observed, s.policy, recovered, s.sameOrigin)
	e.Match([]string{http.MethodGet, http.MethodHead}, "/healthz", s.showHealth)
	e.Match([]string{http.MethodGet, http.MethodHead}, "/readyz", s.showReady)
	e.GET("/metrics", s.showMetrics)
	e.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))

	public := group{e, "", []echo.MiddlewareFunc{middleware.BodyLimit("1M"), form, s.session}}
	public.GET("/login", s.showLogin)
	public.POST("/login", s.login)
	public.POST("/logout", s.logout)

	signedIn := public.with(s.admitted)
	signedIn.GET("/", s.showChat)
	signedIn.GET("/c/:conversation", s.showConversation)
	signedIn.POST("/chat", s.createTurn)
	signedIn.POST("/chat/new", s.createConversation)
	signedIn.POST("/chat/turns/:turn/stop", s.stopTurn)
	signedIn.POST("/chat/turns/:turn/retry", s.retryTurn)
	signedIn.GET("/chat/turns/:turn/events", s.streamTurn)
	signedIn.GET("/chat/turns/:turn/answer.md", s.showAnswerText)
	signedIn.GET("/chat/turns/:turn/blocks/:block", s.showBlock)
	signedIn.GET("/chat/turns/:turn/images/:image", s.showImage)
	signedIn.GET("/chat/turns/:turn/steps/:step", s.showStep)
	signedIn.GET("/document", s.showDocument)
	signedIn.GET("/document/raw", s.showRawDocument)
	signedIn.GET("/questions", s.showQuestions)
	signedIn.GET("/sources", s.showSources)
	signedIn.GET("/sources/summary", s.showSummary)
	signedIn.POST("/sources/summary", s.saveSummary)
	signedIn.POST("/sources/summary/regenerate", s.remakeSummary)
	signedIn.GET("/git-sources", s.showRegistry)
	signedIn.POST("/git-sources", s.addSource)
	signedIn.POST("/git-sources/adopt", s.adoptSources)
	signedIn.POST("/git-sources/:source", s.editSource)
	signedIn.GET("/git-sources/:source/edit", s.showSource)
	signedIn.GET("/git-sources/:source/skipped", s.showSkipped)
	signedIn.GET("/git-sources/:source/remove", s.confirmRemoval)
	signedIn.POST("/git-sources/:source/remove", s.removeSource)
	signedIn.POST("/git-sources/:source/keep", s.keepSource)
	signedIn.POST("/sync", s.startSync)
	signedIn.POST("/sync/stop", s.stopSync)
	signedIn.GET("/sync/events", s.streamSync)

	uploads := group{e, "", []echo.MiddlewareFunc{s.session, s.admitted}} // read while they come, within their own limit
	uploads.POST("/git-sources/upload", s.uploadArchive)
	uploads.POST("/git-sources/:source/upload", s.uploadAgain)

	api := group{e, "/api", nil}
	api.GET("/health", s.apiHealth)
	api.GET("/config", s.apiConfig)
	api.GET("/openapi.json", s.apiDescribe)
	apiPublic := api.with(middleware.BodyLimit("1M"), s.session)
	apiPublic.POST("/login", s.apiLogin)
	apiPublic.POST("/logout", s.apiLogout)
	apiPublic.GET("/whoami", s.apiWhoami)
	apiSignedIn := apiPublic.with(s.admitted)
	apiSignedIn.GET("/suggestions", s.apiSuggestions)
	apiSignedIn.POST("/chat", s.apiChat)
	apiSignedIn.GET("/documents/content", s.apiDocument)
	apiSignedIn.GET("/documents/summary", s.apiSummary)
	apiSignedIn.PUT("/documents/summary", s.apiEditSummary)
	apiSignedIn.POST("/documents/summary", s.apiRemakeSummary)
	apiSignedIn.GET("/docs", s.apiDocuments)
	apiSignedIn.GET("/git-sources", s.apiSources)
	apiSignedIn.POST("/git-sources", s.apiAddSource)
	apiSignedIn.GET("/git-sources/status", s.apiSourcesStatus)
	apiSignedIn.PUT("/git-sources/:source", s.apiEditSource)
	apiSignedIn.DELETE("/git-sources/:source", s.apiRemoveSource)
	apiSignedIn.POST("/sync", s.apiStartSync)
	apiSignedIn.POST("/sync/stop", s.apiStopSync)
	apiSignedIn.GET("/sync/status", s.apiSyncStatus)
	api.with(s.session, s.admitted).POST("/git-sources/upload", s.apiUpload) // within its own limit
}

// group adds routes that share a prefix and what goes before their handlers. Unlike
// the framework's groups it adds no catch-all route, which would ask who comes
// before it says that there is no such address, and hide that a method is wrong.
type group struct {
	e      *echo.Echo
	prefix string
	before []echo.MiddlewareFunc
}

func (g group) with(before ...echo.MiddlewareFunc) group {
	return group{g.e, g.prefix, slices.Concat(g.before, before)}
}

func (g group) GET(path string, h echo.HandlerFunc)    { g.add(http.MethodGet, path, h) }
func (g group) POST(path string, h echo.HandlerFunc)   { g.add(http.MethodPost, path, h) }
func (g group) PUT(path string, h echo.HandlerFunc)    { g.add(http.MethodPut, path, h) }
func (g group) DELETE(path string, h echo.HandlerFunc) { g.add(http.MethodDelete, path, h) }

func (g group) add(method, path string, h echo.HandlerFunc) {
	g.e.Add(method, g.prefix+path, h, g.before...)
}
