/** Graphs that use LangChain's packages, served from their project, with ChatOpenAI and a scripted provider. */
import { rmSync } from 'node:fs';
import { allEvents, type SentEvent } from '../../support/events.ts';
import { type ChatRequest, scriptedProvider } from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';
import { callingFor, saying } from '../authoring/chat-model/tool-replies.ts';
import { projectFolder } from './project-folder.ts';

/** A scripted answer: text, the arguments of tools by name (a list for several calls), or an error status. */
type Answer = string | number | Record<string, object> | ((request: ChatRequest) => Answer);

export interface ServedGraph {
  service: TestService;
  /** The requests to the model so far. */
  requests: ChatRequest[];
  /** Sets its next answers, in order. */
  answers(...next: Answer[]): void;
  /** A turn as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  turn(body: object): Promise<any>;
  streamed(body: object): Promise<SentEvent[]>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  resume(thread: string, body: object): Promise<any>;
  resumeStreamed(thread: string, body: object): Promise<SentEvent[]>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  run(runId: string): Promise<any>;
  close(): Promise<void>;
}

/** Serves `project/graphs/<name>`. */
export async function servedGraph(name: string): Promise<ServedGraph> {
  const folder = projectFolder(name);
  let script: Answer[] = [];
  const provider = scriptedProvider((request) => {
    const answer = script.shift();
    if (answer === undefined) throw new Error('the model was asked once more than the test says');
    return replyOf(answer, request);
  });
  const restore = pointTo(provider.url);
  const service = await testService({ folder, env: providerEnv(provider.url) });
  const post = (path: string, body: object) =>
    service.fetch(`/api/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    service,
    requests: provider.requests,
    answers: (...next) => {
      script = next;
    },
    turn: async (body) => (await post('chat', { conversation_flow: name, ...body })).json(),
    streamed: async (body) =>
      allEvents(await post('chat', { conversation_flow: name, stream: true, ...body })),
    resume: async (thread, body) => (await post(`threads/${thread}/resume`, body)).json(),
    resumeStreamed: async (thread, body) =>
      allEvents(await post(`threads/${thread}/resume`, { stream: true, ...body })),
    run: async (runId) => (await service.fetch(`/api/v1/runs/${runId}`)).json(),
    async close() {
      await service.close();
      await provider.close();
      restore();
      rmSync(folder, { recursive: true });
    },
  };
}

let calls = 0;

function replyOf(answer: Answer, request: ChatRequest): Response {
  if (typeof answer === 'function') return replyOf(answer(request), request);
  if (typeof answer === 'string') return saying(answer, request);
  if (typeof answer === 'number')
    return Response.json({ error: { message: 'provider canary' } }, { status: answer });
  const calledTools = Object.entries(answer).flatMap(([name, args]) =>
    [args].flat().map((one) => ({ name, args: one })),
  );
  return callingFor(
    request,
    ...calledTools.map(({ name, args }) => ({ id: `call-${++calls}`, name, args: JSON.stringify(args) })),
  );
}

/** OpenAI's client reads these variables at its first use. Returns a function that restores them. */
function pointTo(url: string): () => void {
  const variables = { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'key' };
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  return () => {
    for (const [name, text] of before) {
      if (text === undefined) delete process.env[name];
      else process.env[name] = text;
    }
  };
}

/** The executions of the agents, one line each: path, name and number. */
export function work(events: SentEvent[], state: string): string[] {
  return events.flatMap(({ event, data }) => {
    if (event !== 'agent' || data.state !== state) return [];
    return [`${[...data.path, data.agent].join('/')} ${data.execution}`];
  });
}

/** The results of the tools by name, in the order in which they ended. */
export function toolsOf(events: SentEvent[]): unknown[][] {
  return events.flatMap(({ event, data }) => {
    if (event !== 'tool' || data.state === 'started') return [];
    return [[data.tool, data.state, data.output ?? data.error]];
  });
}

/** The executions of a run's agents in the format of `work`, each with its tokens. */
// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
export function recorded({ agents }: any): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  return agents.map(({ path, agent, execution, state, usage }: any) =>
    [[...path, agent].join('/'), execution, state, usage.input_tokens + usage.output_tokens].join(' '),
  );
}
