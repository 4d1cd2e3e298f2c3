/** The offline model's HTTP interface, as an OpenAI client uses it. */

import { describe, expect, test } from 'bun:test';
import { ChatOpenAI } from '@langchain/openai';
import { OFFLINE_MODEL } from '../../../../tools/models/offline/name.ts';
import { offlineFetch } from '../../../../tools/models/offline/offline.ts';
import { chatBody, classificationSchema, complete, post, responseFormat } from './complete.ts';

const SUM = chatBody([['user', 'What is 12 * 7?']]);
const ADVICE = 'Configure a language model: set LLM_PROVIDER_API_KEY or LLM_PROVIDER_BASE_URL.';

/** The parsed `data:` lines of a stream; `[DONE]` stays a string. */
async function eventsOf(response: Response): Promise<unknown[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => {
    const data = block.replace(/^data: /, '');
    return data === '[DONE]' ? data : JSON.parse(data);
  });
}

function client(task: string): ChatOpenAI {
  const configuration = { fetch: offlineFetch(), defaultHeaders: { 'x-skein-task': task } };
  return new ChatOpenAI({ model: 'any', apiKey: 'none', maxRetries: 0, configuration });
}

describe('a completion without streaming', () => {
  test('is a chat.completion that names the offline model, whatever model was requested', async () => {
    const response = await post('answer', SUM);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: OFFLINE_MODEL,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '12 * 7 = 84.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 },
    });
  });

  test('counts at least one token for an empty message', async () => {
    const response = await post('answer', chatBody([['user', '']]));
    expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 1 } });
  });

  test('counts bytes, so messages in other scripts are not undercounted', async () => {
    const response = await post('answer', chatBody([['user', '你好你好']]));
    expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 3 } });
  });

  test('reads content in parts as well as in one string', async () => {
    const content = [{ type: 'text', text: 'What is 2 + 3?' }];
    const response = await post('answer', { messages: [{ role: 'user', content }] });
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: '2 + 3 = 5.' } }] });
  });
});

describe('a streamed completion', () => {
  test('sends the role, the content word by word, the finish reason and [DONE]', async () => {
    const response = await post('answer', { ...SUM, stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = await eventsOf(response);
    const choice = (delta: object, finish_reason: string | null = null) => ({
      object: 'chat.completion.chunk',
      model: OFFLINE_MODEL,
      choices: [{ index: 0, delta, finish_reason }],
    });
    expect(events).toMatchObject([
      choice({ role: 'assistant', content: '' }),
      ...['12 ', '* ', '7 ', '= ', '84.'].map((content) => choice({ content })),
      choice({}, 'stop'),
      '[DONE]',
    ]);
    expect(JSON.stringify(events)).not.toContain('usage');
  });

  test('ends with a chunk with usage and without choices if usage is requested', async () => {
    const response = await post('answer', { ...SUM, stream: true, stream_options: { include_usage: true } });
    const events = await eventsOf(response);
    expect(events.at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 },
    });
    expect(events.at(-3)).toMatchObject({ usage: null });
    expect(events.at(-1)).toBe('[DONE]');
  });

  test('is the same text as the completion without streaming', async () => {
    const text = 'My name is Ana and  I ride\na Trek.';
    const response = await post('answer', chatBody([['user', text]], { stream: true }));
    const events = await eventsOf(response);
    const words = events.map((event) => Object(event).choices?.[0].delta.content ?? '');
    expect(words.join('')).toBe(await complete('answer', [['user', text]]));
  });

  test('fails with an AbortError if the request is aborted during the stream', async () => {
    const aborter = new AbortController();
    const response = await post('answer', { ...SUM, stream: true }, { signal: aborter.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    aborter.abort();
    const rest = async () => {
      while (!(await reader?.read())?.done);
    };
    await expect(rest()).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('rejected requests', () => {
  test('an aborted request is rejected with an AbortError', async () => {
    await expect(post('answer', SUM, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  test('an unknown task is a 400 that names the task and the settings to make', async () => {
    const response = await post('painting', SUM);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        message: `The offline model cannot do 'painting'. ${ADVICE}`,
        type: 'invalid_request_error',
        code: 'offline_model',
      },
    });
  });

  test('a schema that the task does not know is a 400', async () => {
    const foreign = responseFormat({ type: 'object', properties: { colour: { type: 'string' } } });
    const wider = structuredClone(classificationSchema(['a', 'b'])) as { properties: object };
    wider.properties = { ...wider.properties, urgency: { type: 'string' } };
    for (const [task, format] of [
      ['classification', foreign],
      ['classification', responseFormat(wider)],
      ['classification', {}],
      ['followup_questions', foreign],
    ] as const) {
      const response = await post(task, { ...SUM, ...format });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { message: `The offline model cannot do '${task}'. ${ADVICE}`, code: 'offline_model' },
      });
    }
  });

  test('another endpoint is a 404 of the same form', async () => {
    for (const [method, path] of [
      ['POST', '/v1/embeddings'],
      ['GET', '/v1/models'],
      ['GET', '/v1/chat/completions'],
    ] as const) {
      const response = await offlineFetch()(`http://offline${path}`, { method });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        error: {
          message: `The offline model cannot do '${method} ${path}'. ${ADVICE}`,
          code: 'offline_model',
        },
      });
    }
  });

  test("a body that isn't a chat completion request is a 400", async () => {
    for (const body of ['', '{', '[]', '{"messages":"hi"}']) {
      const response = await post('answer', body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'offline_model' } });
    }
  });
});

describe('the OpenAI client of LangChain', () => {
  test('gets an answer with usage', async () => {
    const message = await client('answer').invoke('What is 12 * 7?');
    expect(message.content).toBe('12 * 7 = 84.');
    expect(message.usage_metadata).toMatchObject({ input_tokens: 4, output_tokens: 3, total_tokens: 7 });
    expect(message.response_metadata).toMatchObject({ model_name: OFFLINE_MODEL });
  });

  test('streams words', async () => {
    const words: unknown[] = [];
    for await (const chunk of await client('answer').stream('What is 12 * 7?')) words.push(chunk.content);
    expect(words.filter((word) => word !== '')).toEqual(['12 ', '* ', '7 ', '= ', '84.']);
  });

  test('gets structured output', async () => {
    const schema = classificationSchema(['support', 'other']);
    const structured = client('classification').withStructuredOutput(schema, {
      name: 'classification',
      method: 'jsonSchema',
    });
    expect(await structured.invoke('My bike is broken.')).toMatchObject({
      category: 'support',
      topic: 'bike',
    });
  });

  test('gets an error that says what the offline model cannot do', async () => {
    await expect(client('painting').invoke('Hi')).rejects.toMatchObject({
      status: 400,
      code: 'offline_model',
      message: expect.stringContaining("The offline model cannot do 'painting'."),
    });
  });
});
