#!/usr/bin/env bash
# mcp 2.3.0 (the Python SDK's MCPServer): what a tool gets of a text depends on whether the parameter has
# another type beside `str`. `text: str` gets what was sent. `text: str | None` is read as JSON first: a
# note that says `null` arrives as None, as if it had not been sent, and one that is a JSON list or object
# is refused as no string. A `str | list[str]` gets a list. Numbers, true and "quoted" stay text. The schema
# that a client sees allows a string each time. fastmcp 4.2.3, which grew out of it, leaves all texts alone.
# Guessed: a string that the tool's schema allows arrives as that string.
# Seen: "mcp str: kept kept kept", "mcp str | None: None refused kept", "mcp str | list[str]: refused list kept",
# "fastmcp str | None: kept kept kept".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv python
python/bin/pip install --quiet --no-compile --disable-pip-version-check mcp==2.3.0 fastmcp==4.2.3
cat > both.py <<'PY'
import asyncio, json, logging
import fastmcp, mcp
from mcp.server.mcpserver import MCPServer
logging.disable(logging.CRITICAL)
TEXTS = ["null", '["look"]', "true"]
def word(sent, answer, refused):
    if refused:
        return "refused"
    got = json.loads(answer)
    return {type(None): "None", list: "list"}.get(type(got), "kept" if got == sent else "changed")
def needed(text: str) -> str:
    return json.dumps(text)
def optional(text: str | None = "nothing was sent") -> str:
    return json.dumps(text)
def either(text: str | list[str]) -> str:
    return json.dumps(text)
async def of_mcp(tool):
    server = MCPServer("any")
    server.add_tool(tool)
    async with mcp.Client(server) as client:
        answers = [await client.call_tool(tool.__name__, {"text": one}) for one in TEXTS]
    return " ".join(word(sent, one.content[0].text, one.is_error) for sent, one in zip(TEXTS, answers))
async def of_fastmcp(tool):
    server = fastmcp.FastMCP("any")
    server.tool(tool)
    async with fastmcp.Client(server) as client:
        answers = [await client.call_tool(tool.__name__, {"text": one}, raise_on_error=False) for one in TEXTS]
    return " ".join(word(sent, one.content[0].text, one.is_error) for sent, one in zip(TEXTS, answers))
seen = {
    "mcp str": asyncio.run(of_mcp(needed)),
    "mcp str | None": asyncio.run(of_mcp(optional)),
    "mcp str | list[str]": asyncio.run(of_mcp(either)),
    "fastmcp str | None": asyncio.run(of_fastmcp(optional)),
}
for name, words in seen.items():
    print(f"{name}: {words}")
assert list(seen.values()) == ["kept kept kept", "None refused kept", "refused list kept", "kept kept kept"]
PY
python/bin/python both.py
