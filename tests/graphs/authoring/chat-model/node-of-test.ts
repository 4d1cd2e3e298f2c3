/** A workflow with one node, `speaker`, that runs a function of the test, as a discovered file and inside a run. */
import type { LangGraphRunnableConfig } from '@langchain/langgraph';
import {
  AIMessage,
  Conversation,
  type ConversationState,
  END,
  START,
  StateGraph,
  workflow,
} from '../../../../graphs/skein.ts';
import { allEvents, type SentEvent } from '../../../support/events.ts';
import type { ErrorBody, TestService } from '../../../support/service.ts';

type Work<T> = (state: ConversationState, config: LangGraphRunnableConfig) => Promise<T>;

let work: Work<unknown> = async () => undefined;

const node: Work<Partial<ConversationState>> = async (state, config) => {
  const result = await work(state, config);
  const messages = result instanceof AIMessage ? [result] : [];
  return { messages };
};

export default workflow({
  description: 'Does what a test says.',
  agents: () => [],
  example: 'Go on.',
  build: ({ agent }) =>
    new StateGraph(Conversation)
      .addNode('speaker', node)
      .addNode(
        'clerk',
        agent('clerk', async () => ({ content: String((await work({} as ConversationState, {})) ?? '') })),
      )
      .addConditionalEdges(START, ({ messages }) =>
        messages.at(-1)?.text.startsWith('clerk') ? 'clerk' : 'speaker',
      )
      .addEdge('speaker', END)
      .addEdge('clerk', END),
});

/** The text of a `graph.ts` that is this workflow. */
export const TRIED = { tried: `export { default } from '${import.meta.path}';` };

export interface Tried<T> {
  value: T;
  events: SentEvent[];
  // biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
  calls: any[];
  /** The response's body. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  body: any;
  error: ErrorBody | undefined;
}

/** A prompt that begins with `clerk` runs the function in an `agent()` instead of a plain node. */
export async function inRun<T>(service: TestService, todo: Work<T>, more: object = {}): Promise<Tried<T>> {
  let value: unknown;
  work = async (state, config) => {
    value = await todo(state, config);
    return value;
  };
  const response = await service.fetch('/api/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ conversation_flow: 'tried', user_prompt: 'Go on.', stream: true, ...more }),
  });
  const events = await allEvents(response);
  const of = (name: string) => events.find(({ event }) => event === name)?.data;
  const listed = await service.fetch(`/api/v1/runs/${of('run')?.run_id}/calls`);
  const { calls = [] } = (await listed.json()) as { calls?: unknown[] };
  return { value: value as T, events, calls, body: of('response'), error: of('error') };
}
