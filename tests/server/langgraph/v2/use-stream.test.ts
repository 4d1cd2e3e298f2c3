/** The core of `useStream` in LangGraph's React, Vue, Svelte and Angular packages, with this service. */
import { expect, onTestFinished, test } from 'bun:test';
import type { BaseMessage } from '@langchain/core/messages';
import { Client } from '@langchain/langgraph-sdk';
import { StreamController } from '@langchain/langgraph-sdk/stream';
import { runningProvider, runningService } from '../../support/running.ts';
import { until } from '../../support/until.ts';
import { GRAPHS } from './graphs.ts';

const service = runningService(runningProvider(), '', GRAPHS);

interface State {
  messages: BaseMessage[];
  answers: string[];
}

function controller(assistantId: string, threadId: string | null = null, more: object = {}) {
  const client = new Client({ apiUrl: service.url, apiKey: null });
  const made = new StreamController<State>({ client, assistantId, threadId, ...more } as never);
  onTestFinished(() => made.dispose());
  return made;
}

const human = (content: string) => ({ messages: [{ type: 'human', content }] });
const texts = (made: ReturnType<typeof controller>) =>
  made.rootStore.getSnapshot().messages.map(({ text }) => text);

test('two turns are submitted one after the other, and a reloaded page shows them', async () => {
  const page = controller('speaker');
  await page.submit(human('one'));
  await until(() => texts(page).length === 2 && !page.rootStore.getSnapshot().isLoading);
  expect(texts(page)).toEqual(['one', 'You said one']);
  await page.submit(human('two'));
  await until(() => texts(page).length === 4 && !page.rootStore.getSnapshot().isLoading);
  expect(texts(page)).toEqual(['one', 'You said one', 'two', 'You said two']);
  const { threadId, error } = page.rootStore.getSnapshot();
  expect(error).toBeUndefined();
  const again = controller('speaker', threadId);
  await again.hydrate(threadId);
  await until(() => texts(again).length === 4);
  expect(texts(again)).toEqual(texts(page));
  expect(again.rootStore.getSnapshot().isLoading).toBe(false);
});

test('an answer is generated again from the checkpoint before it', async () => {
  const page = controller('speaker');
  await page.submit(human('one'));
  await until(() => texts(page).length === 2 && !page.rootStore.getSnapshot().isLoading);
  const [question, answer] = page.rootStore.getSnapshot().messages;
  const before = page.messageMetadataStore.getSnapshot().get(question?.id ?? '')?.parentCheckpointId;
  const found = page.messageMetadataStore.getSnapshot().get(answer?.id ?? '')?.parentCheckpointId;
  expect(before).toBeString();
  expect(found).toBeString();
  await page.submit(human('other'), { forkFrom: before } as never);
  await until(() => texts(page).includes('You said other') && !page.rootStore.getSnapshot().isLoading);
  expect(texts(page)).toEqual(['other', 'You said other']);
});

test('a question is shown, also after a reload, and can be answered there', async () => {
  const page = controller('asker');
  await page.submit({ request: 'x' });
  await until(() => page.rootStore.getSnapshot().interrupts.length === 1);
  const { threadId } = page.rootStore.getSnapshot();
  const again = controller('asker', threadId);
  await again.hydrate(threadId);
  await until(() => again.rootStore.getSnapshot().interrupts.length === 1);
  expect(again.rootStore.getSnapshot().interrupts[0]?.value).toEqual({ question: 'one?' });
  await until(() => again.getThread()?.interrupts.length === 1);
  await again.respond('a');
  await until(() =>
    again.rootStore
      .getSnapshot()
      .interrupts.some(({ value }) => (value as { question: string }).question === 'two?'),
  );
  await again.respond('b');
  await until(() => again.rootStore.getSnapshot().values.answers?.length === 2);
  expect(again.rootStore.getSnapshot().values.answers).toEqual(['a', 'b']);
  // The other page has noticed the answer.
  await until(() => page.rootStore.getSnapshot().interrupts.length === 0);
});

test('a subgraph is shown while it runs and after it has ended', async () => {
  const page = controller('tools');
  await page.submit(human('Oslo?'));
  const shown = () => [...page.subgraphStore.getSnapshot().values()];
  // The page gets it on a separate stream, which may lag behind.
  await until(() => shown()[0]?.status === 'complete');
  expect(shown()).toMatchObject([{ nodeName: 'inside', status: 'complete' }]);
});

test('a run can be stopped', async () => {
  let runId = '';
  const onCreated = (run: { runId: string }) => {
    runId = run.runId;
  };
  const page = controller('waiter', null, { onCreated });
  void page.submit({ file: `${service.folder}/never` }).catch(() => {});
  await until(() => runId !== '');
  const client = new Client({ apiUrl: service.url, apiKey: null });
  const threadId = page.rootStore.getSnapshot().threadId ?? '';
  await page.stop();
  await until(async () => (await client.runs.get(threadId, runId)).status === 'interrupted');
  await until(() => !page.rootStore.getSnapshot().isLoading);
});

test('a failed run is an error in the page', async () => {
  const page = controller('failing');
  await page.submit({ n: 1 }).catch(() => {});
  await until(() => page.rootStore.getSnapshot().error !== undefined);
  expect(String(page.rootStore.getSnapshot().error)).toContain('it broke');
});
