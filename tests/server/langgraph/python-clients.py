"""What LangChain's Python clients do with a running service: python-clients.py <url> <case>."""

import asyncio
import sys

from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command
from langgraph_sdk import get_client, get_sync_client
from langgraph_sdk.errors import ConflictError, NotFoundError

URL, CASE = sys.argv[1:]
client = get_client(url=URL, api_key=None)
GREETED = ["hello", "greet heard hello"]


def saying(text):
    return {"messages": [{"role": "user", "content": text}]}


def texts(values):
    return [one["content"] if isinstance(one, dict) else one.content for one in values["messages"]]


def same(found, wanted):
    assert found == wanted, f"expected {wanted!r}, found {found!r}"


async def fails(error, awaitable, text=""):
    try:
        await awaitable
    except error as thrown:
        assert text in (thrown.body or ""), f"expected {text!r} in {thrown.body!r}"
        return
    raise AssertionError(f"expected {error.__name__}")


async def threads():
    made = await client.threads.create(thread_id="py-made", metadata={"kind": "a"})
    same((made["thread_id"], made["status"], made["metadata"]), ("py-made", "idle", {"kind": "a"}))
    await fails(ConflictError, client.threads.create(thread_id="py-made"))
    same(await client.threads.create(thread_id="py-made", if_exists="do_nothing"), made)
    changed = await client.threads.update("py-made", metadata={"more": 1})
    same(changed["metadata"], {"kind": "a", "more": 1})
    await client.runs.wait("py-made", "desk", input=saying("hello"))
    found = await client.threads.search(metadata={"kind": "a"}, values={}, limit=5)
    same([(one["thread_id"], texts(one["values"])) for one in found], [("py-made", GREETED)])
    same(await client.threads.count(metadata={"kind": "a"}), 1)
    state = await client.threads.get_state("py-made")
    same((texts(state["values"]), state["next"], state["tasks"]), (GREETED, [], []))
    history = await client.threads.get_history("py-made")
    same([one["next"] for one in history], [[], ["greet"], ["__start__"]])
    older = await client.threads.get_state("py-made", checkpoint=history[1]["checkpoint"])
    same(older["next"], ["greet"])
    updated = await client.threads.update_state("py-made", {"note": "seen"}, as_node="greet")
    state = await client.threads.get_state("py-made", subgraphs=True)
    same((state["values"]["note"], state["checkpoint"]["checkpoint_id"]), ("seen", updated["checkpoint"]["checkpoint_id"]))
    copy = await client.threads.copy("py-made")
    same(texts((await client.threads.get_state(copy["thread_id"]))["values"]), GREETED)
    await client.threads.delete("py-made")
    await fails(NotFoundError, client.threads.get("py-made"), "Thread with ID py-made not found")


async def runs():
    values = await client.runs.wait(None, "desk", input=saying("hello"))
    same(texts(values), GREETED)
    modes = ["values", "updates", "messages-tuple", "messages", "custom", "tasks", "checkpoints", "debug", "events"]
    await client.threads.create(thread_id="py-runs")
    created = []
    stream = client.runs.stream(
        "py-runs", "desk", input=saying("hello"), stream_mode=modes, stream_subgraphs=True, stream_resumable=True, on_run_created=created.append
    )
    parts = [part async for part in stream]
    names = {part.event.split("|")[0] for part in parts}
    wanted = {"metadata", "messages/partial", "messages/metadata", "messages/complete", "messages", "end"}
    same(wanted | set(modes) - {"messages-tuple"}, names)
    same([part.id for part in parts], [str(index) for index in range(len(parts))])
    tokens = [part.data[0]["content"] for part in parts if part.event.split("|")[0] == "messages"]
    same("".join(tokens), "greet heard hello")
    run_id = parts[0].data["run_id"]
    same(created, [{"run_id": run_id, "thread_id": "py-runs"}])
    rest = [part async for part in client.runs.join_stream("py-runs", run_id, last_event_id=parts[4].id)]
    for found, wanted in zip(rest, parts[5:], strict=True):
        same(found, wanted)
    run = await client.runs.create("py-runs", "desk", input=saying("again"), metadata={"kind": "b"})
    # With PostgreSQL it may have ended by the time it is read.
    same((run["status"] in ("pending", "running", "success"), run["metadata"]["kind"]), (True, "b"))
    values = await client.runs.join("py-runs", run["run_id"])
    same(texts(values), [*GREETED, "again", "greet heard again"])
    same((await client.runs.get("py-runs", run["run_id"]))["status"], "success")
    same([one["run_id"] for one in await client.runs.list("py-runs")], [run["run_id"], run_id])
    batch = await client.runs.create_batch([{"assistant_id": "desk", "input": saying("hello")}] * 2)
    same(len(batch), 2)
    await fails(NotFoundError, client.runs.create("py-runs", "nobody", input={}))
    await fails(NotFoundError, client.runs.create("py-nowhere", "desk", input={}))
    await client.runs.delete("py-runs", run_id)
    await fails(NotFoundError, client.runs.get("py-runs", run_id))


async def cancel():
    await client.threads.create(thread_id="py-cancel")
    run = await client.runs.create("py-cancel", "desk", input=saying("hold"))
    behind = await client.runs.create("py-cancel", "desk", input=saying("hello"), multitask_strategy="enqueue")
    same((await client.runs.get("py-cancel", behind["run_id"]))["status"], "pending")
    same((await client.threads.get("py-cancel"))["status"], "busy")
    await client.runs.cancel("py-cancel", run["run_id"], wait=True)
    same((await client.runs.get("py-cancel", run["run_id"]))["status"], "interrupted")
    values = await client.runs.join("py-cancel", behind["run_id"])
    same(texts(values), ["hold", "hello", "greet heard hello"])
    gone = await client.runs.create("py-cancel", "desk", input=saying("hold"))
    await client.runs.cancel("py-cancel", gone["run_id"], wait=True, action="rollback")
    await fails(NotFoundError, client.runs.get("py-cancel", gone["run_id"]))
    same(texts((await client.threads.get_state("py-cancel"))["values"]), texts(values))


async def interrupts():
    await client.threads.create(thread_id="py-asks")
    asked = await client.runs.wait("py-asks", "desk", input=saying("an order"))
    same([one["value"] for one in asked["__interrupt__"]], [{"question": "Ship it?"}])
    thread = await client.threads.get("py-asks")
    same((thread["status"], len(thread["interrupts"])), ("interrupted", 1))
    values = await client.runs.wait("py-asks", "desk", command={"resume": "yes"})
    same(texts(values)[-1], "Shipped: yes")
    await client.threads.create(thread_id="py-stops")
    stopped = await client.runs.wait("py-stops", "desk", input=saying("hello"), interrupt_before=["greet"])
    same(texts(stopped), ["hello"])
    same((await client.threads.get_state("py-stops"))["next"], ["greet"])
    same(texts(await client.runs.wait("py-stops", "desk", input=None)), GREETED)


async def store():
    await client.store.put_item(["py", "notes"], key="one", value={"text": "first"})
    await client.store.put_item(["py", "notes"], key="two", value={"text": "second"})
    item = await client.store.get_item(["py", "notes"], key="one")
    same((item["namespace"], item["key"], item["value"]), (["py", "notes"], "one", {"text": "first"}))
    found = await client.store.search_items(["py"], filter={"text": "second"})
    same([one["key"] for one in found["items"]], ["two"])
    same(await client.store.list_namespaces(prefix=["py"]), {"namespaces": [["py", "notes"]]})
    await client.store.delete_item(["py", "notes"], key="one")
    same([one["key"] for one in (await client.store.search_items(["py"]))["items"]], ["two"])


async def assistants():
    own = await client.assistants.search(graph_id="desk", metadata={"created_by": "system"})
    same([one["name"] for one in own], ["desk"])
    graph = await client.assistants.get_graph("desk", xray=True)
    assert "review:ask" in [node["id"] for node in graph["nodes"]], graph
    schemas = await client.assistants.get_schemas(own[0]["assistant_id"])
    same(schemas["graph_id"], "desk")
    same(list(await client.assistants.get_subgraphs("desk")), ["review"])
    made = await client.assistants.create("desk", name="front desk", config={"tags": ["a"]}, metadata={"kind": "py"})
    changed = await client.assistants.update(made["assistant_id"], name="back desk")
    same((made["version"], changed["version"]), (1, 2))
    versions = await client.assistants.get_versions(made["assistant_id"])
    same([one["version"] for one in versions], [2, 1])
    latest = await client.assistants.set_latest(made["assistant_id"], 1)
    same(latest["name"], "front desk")
    same(await client.assistants.count(metadata={"kind": "py"}), 1)
    same(texts(await client.runs.wait(None, made["assistant_id"], input=saying("hello"))), GREETED)
    await client.assistants.delete(made["assistant_id"])
    await fails(NotFoundError, client.assistants.get(made["assistant_id"]))


def desk():
    return RemoteGraph("desk", client=client, sync_client=get_sync_client(url=URL, api_key=None))


def on(thread_id):
    return {"configurable": {"thread_id": thread_id}}


async def remote():
    graph = desk()
    same(texts(graph.invoke(saying("hello"))), GREETED)
    same(texts(await graph.ainvoke(saying("hello"), on("py-remote"))), GREETED)
    heard = list(graph.stream(saying("again"), on("py-remote"), stream_mode=["updates", "messages", "values"]))
    same({mode for mode, *_ in heard}, {"updates", "messages", "values"})
    same("".join(data[0]["content"] for mode, data, *_ in heard if mode == "messages"), "greet heard again")
    state = await graph.aget_state(on("py-remote"))
    same((texts(state.values), state.next), ([*GREETED, "again", "greet heard again"], ()))
    history = [one async for one in graph.aget_state_history(on("py-remote"), limit=2)]
    same(history[0].config, state.config)
    same(history[0].parent_config, history[1].config)
    config = await graph.aupdate_state(on("py-remote"), {"note": "seen"}, as_node="greet")
    state = graph.get_state(config)
    same((state.values["note"], state.config), ("seen", config))
    drawn = await graph.aget_graph(xray=True)
    assert "review:ask" in drawn.nodes, drawn
    asked = await collected(graph.astream(saying("an order"), on("py-asking"), stream_mode="values"))
    same([one["value"] for one in asked[-1]["__interrupt__"]], [{"question": "Ship it?"}])
    state = await graph.aget_state(on("py-asking"), subgraphs=True)
    same((state.next, state.tasks[0].state.next), (("review",), ("ask",)))
    values = await graph.ainvoke(Command(resume="yes"), on("py-asking"))
    same(texts(values)[-1], "Shipped: yes")


async def collected(stream):
    return [one async for one in stream]


async def node():
    outer = StateGraph(MessagesState)
    outer.add_node("first", lambda _: {"messages": [{"role": "ai", "content": "passed on"}]})
    outer.add_node("desk", desk())
    outer.add_edge(START, "first").add_edge("first", "desk").add_edge("desk", END)
    graph = outer.compile(checkpointer=MemorySaver())
    heard = await collected(graph.astream(saying("hello"), on("py-outer"), stream_mode="updates", subgraphs=True))
    inside = [list(update) for namespace, update in heard if namespace]
    assert ["greet"] in inside, heard
    state = await graph.aget_state(on("py-outer"))
    same(texts(state.values), ["hello", "passed on", "greet heard hello"])


asyncio.run(globals()[CASE]())
