module example.com/own

go 1.26

require (
	github.com/mcpsim/mcpsim v0.1.0
	github.com/modelcontextprotocol/go-sdk v1.8.0
)
