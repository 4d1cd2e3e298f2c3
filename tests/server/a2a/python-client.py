"""A2A as its package for Python asks for it: the tasks of a service, in version 1.0 and in 0.3."""
import asyncio
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageRequest, TaskState

URL, VERSION, KEY = sys.argv[1], sys.argv[2], sys.argv[3]


def asked(text, **about):
    message = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], **about)
    return SendMessageRequest(message=message)


def text_of(artifacts):
    return "".join(part.text for artifact in artifacts for part in artifact.parts)


async def client_of(http, workflow, streaming):
    resolver = A2ACardResolver(httpx_client=http, base_url=f"{URL}/a2a/{workflow}")
    card = await resolver.get_agent_card()
    own = [one for one in card.supported_interfaces if one.protocol_version == VERSION]
    assert own, card
    del card.supported_interfaces[:]
    card.supported_interfaces.extend(own)
    return ClientFactory(ClientConfig(httpx_client=http, streaming=streaming)).create(card)


async def main():
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {KEY}"}, timeout=30) as http:
        echo = await client_of(http, "echo", streaming=True)
        events = [event async for event in echo.send_message(asked("hello", context_id=f"py-{VERSION}"))]
        assert events[0].task.context_id == f"py-{VERSION}", events[0]
        pieces = [event.artifact_update.artifact for event in events if event.HasField("artifact_update")]
        assert text_of(pieces) == "re: hello", pieces
        assert events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED, events[-1]
        task = await echo.get_task(GetTaskRequest(id=events[0].task.id))
        assert text_of(task.artifacts) == "re: hello", task

        letter = await client_of(http, "letter", streaming=False)
        [event] = [one async for one in letter.send_message(asked("Write."))]
        waiting = event.task
        assert waiting.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, waiting
        assert waiting.status.message.parts[0].data.struct_value["question"] == "May I write?", waiting
        [event] = [one async for one in letter.send_message(asked("yes", task_id=waiting.id))]
        assert event.task.id == waiting.id, event
        assert text_of(event.task.artifacts) == 're: Write. "yes"', event
        if VERSION == "1.0":
            listed = await letter.list_tasks(ListTasksRequest(context_id=waiting.context_id))
            assert [one.id for one in listed.tasks] == [waiting.id], listed


asyncio.run(main())
