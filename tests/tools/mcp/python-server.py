"""An MCP server by the official package for Python: over standard streams, or over HTTP at the port that is given."""

import sys

from mcp.server import MCPServer

server = MCPServer("scripted")


@server.tool()
def act(what: str) -> str:
    """Does what it is told"""
    return what.removeprefix("say ")


if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
