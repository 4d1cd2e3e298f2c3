/** The event stream about changed threads. */
import { afterAll, expect, test } from 'bun:test';
import { runningProvider, runningService } from '../support/running.ts';

const service = runningService(runningProvider());
const leaving = new AbortController();
afterAll(() => leaving.abort());

async function* changes(): AsyncGenerator<string[]> {
  const response = await service.fetch('/api/v1/thread-changes', { signal: leaving.signal });
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^event: changes\ndata: (.*)$/.exec(frame)?.[1];
      if (data !== undefined) yield JSON.parse(data).threads;
    }
  }
}

test('a thread that starts, gets a title or is deleted is reported, and no other', async () => {
  await service.chat({ user_prompt: 'Before', thread_id: 'before' });
  const received = changes();
  const next = async () => (await received.next()).value;
  const until = async (id: string) => {
    for (let ids = await next(); ; ids = await next()) {
      expect(ids).toEqual([id]);
      if (ids.includes(id)) return;
    }
  };
  expect(await next()).toEqual([]);
  await service.chat({ user_prompt: 'Hello', thread_id: 'new' });
  await until('new');
  await service.fetch('/api/v1/threads/before', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Another"}',
  });
  let ids = await next();
  while (!ids.includes('before')) {
    expect(ids).toEqual(['new']);
    ids = await next();
  }
  // A late change of the other thread may be reported together with this one.
  expect(ids.filter((id: string) => id !== 'new')).toEqual(['before']);
  await service.fetch('/api/v1/threads/before', { method: 'DELETE' });
  expect(await next()).toEqual(['before']);
});
