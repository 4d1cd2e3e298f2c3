"""OpenAI's package for Python, its Agents SDK and LiteLLM with workflows as their models."""

import asyncio
import json
import os
import sys

import openai

# LiteLLM would fetch its list of prices from the internet.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
url, case = sys.argv[1] + "/v1", sys.argv[2]
client = openai.OpenAI(base_url=url, api_key="any", max_retries=0)
HI = [{"role": "user", "content": "hi"}]


def models():
    assert "echo" in [model.id for model in client.models.list()]
    assert client.models.retrieve("echo").id == "echo"


def chat():
    answer = client.chat.completions.create(model="echo", messages=HI)
    assert answer.choices[0].message.content == "re: hi", answer
    assert answer.usage.total_tokens == 30, answer
    options = {"include_usage": True}
    chunks = list(client.chat.completions.create(model="echo", messages=HI, stream=True, stream_options=options))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "re: hi"
    assert chunks[-1].usage.completion_tokens == 10, chunks[-1]


def thread():
    thread = {"thread_id": "python"}
    asks = client.chat.completions.create(model="letter", messages=HI, metadata=thread)
    [call] = asks.choices[0].message.tool_calls
    assert json.loads(call.function.arguments) == {"question": "May I write?"}, call
    answer = {"role": "tool", "tool_call_id": call.id, "content": "true"}
    said = client.chat.completions.create(
        model="letter", messages=[*HI, asks.choices[0].message, answer], metadata=thread
    )
    assert said.choices[0].message.content == "re: hi true", said
    try:
        client.chat.completions.create(model="nothing", messages=HI)
    except openai.NotFoundError as error:
        assert (error.code, error.param) == ("model_not_found", "model")
    else:
        raise AssertionError("found")


def responses():
    first = client.responses.create(model="echo", input="one")
    assert (first.output_text, first.usage.total_tokens) == ("re: one", 30), first
    with client.responses.stream(model="echo", input="two", previous_response_id=first.id) as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        second = stream.get_final_response()
    assert text == second.output_text == "re: two", second
    assert client.responses.retrieve(second.id).output_text == "re: two"
    [item] = client.responses.input_items.list(second.id)
    assert item.content[0].text == "two", item
    background = client.responses.create(model="echo", input="three", background=True)
    events = list(client.responses.retrieve(background.id, stream=True))
    assert events[-1].response.output_text == "re: three", events
    conversation = client.conversations.create()
    client.responses.create(model="echo", input="four", conversation=conversation.id)
    client.conversations.delete(conversation.id)
    client.responses.delete(first.id)


def agents():
    from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, set_tracing_disabled

    set_tracing_disabled(True)
    own = openai.AsyncOpenAI(base_url=url, api_key="any", max_retries=0)

    async def run():
        for kind in (OpenAIChatCompletionsModel, OpenAIResponsesModel):
            agent = Agent(name="desk", instructions="Be short.", model=kind(model="echo", openai_client=own))
            result = await Runner.run(agent, "hi")
            assert result.final_output == "re: hi", result
            streamed = Runner.run_streamed(agent, "hi")
            async for _ in streamed.stream_events():
                pass
            assert streamed.final_output == "re: hi", streamed

    asyncio.run(run())


def litellm():
    import litellm

    asked = {"model": "openai/echo", "messages": HI, "api_base": url, "api_key": "any"}
    answer = litellm.completion(**asked)
    assert answer.choices[0].message.content == "re: hi", answer
    assert answer.usage.total_tokens == 30, answer
    pieces = litellm.completion(**asked, stream=True)
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces) == "re: hi"


globals()[case]()
