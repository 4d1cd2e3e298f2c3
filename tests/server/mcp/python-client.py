"""The official client for Python, against a running service or a command that serves over standard streams."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

target = json.loads(sys.argv[1])
mode = sys.argv[2]
server = target if isinstance(target, str) else StdioServerParameters(**target)


async def tools(client):
    listed = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert {"classification_agent", "asking", "resume", "search_documents", "query_database"} <= set(listed)
    told = []

    async def progress(done, total, message):
        told.append((done, message))

    asked = {"user_prompt": "My pedal is broken"}
    result = await client.call_tool("classification_agent", asked, progress_callback=progress)
    assert not result.is_error, result
    assert result.structured_content["agent_response"] == result.content[0].text
    assert told[0] == (1, "classification_agent started"), told
    refused = await client.call_tool("classification_agent", {"user_prompt": " "})
    assert refused.is_error and refused.content[0].text.startswith("INVALID_REQUEST: "), refused


async def interrupts(client):
    waiting = await client.call_tool("asking", {"topic": "how many?"})
    assert waiting.structured_content["event_type"] == "interrupt", waiting
    answer = {"thread_id": waiting.structured_content["thread_id"], "value": 3}
    result = await client.call_tool("resume", answer)
    assert result.structured_content["values"] == {"topic": "how many?", "reply": 3}, result


async def forms():
    async def person(context, params):
        assert "how many?" in params.message
        return ElicitResult(action="accept", content={"value": "4"})

    async with Client(server, mode="auto", elicitation_callback=person) as client:
        result = await client.call_tool("asking", {"topic": "how many?"})
        assert result.structured_content["values"] == {"topic": "how many?", "reply": 4}, result


async def rest(client):
    assert (await client.list_resources()).resources == []
    prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
    assert "classification-agent.support_responder.jinja" in prompts


async def main():
    async with Client(server, mode=mode) as client:
        await tools(client)
        await interrupts(client)
        await rest(client)
    if mode == "auto":
        await forms()


asyncio.run(main())
