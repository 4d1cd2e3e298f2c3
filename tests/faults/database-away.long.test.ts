/** A service whose PostgreSQL stops, restarts and hangs during turns. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWN_POSTGRES, type PrivatePostgres, privatePostgres } from '../support/private-postgres.ts';
import { type ServiceProcess, spawnService } from '../support/process.ts';
import { classifying, type Provider, scriptedProvider } from '../support/provider.ts';
import { providerEnv } from '../support/service.ts';

setDefaultTimeout(120_000);

const LEASE_SECONDS = 2;
// Added to each time limit for a busy machine.
const SLACK_MS = 3_000;

describe.skipIf(!OWN_POSTGRES)('a service that loses its database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-away-'));
  let server: PrivatePostgres;
  let provider: Provider;
  let service: ServiceProcess;
  /** Releases the answers that are held. */
  let release: () => void = () => {};
  let held: Promise<void> = Promise.resolve();
  const hold = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    release = resolve;
  };

  beforeAll(async () => {
    server = await privatePostgres();
    await server.start();
    provider = scriptedProvider(
      classifying(async () => {
        await held;
        return 'Stop using it.';
      }),
    );
    service = await spawnService(folder, {
      ...providerEnv(provider.url),
      SERVICE_CHAT_HISTORY__DATABASE_TYPE: 'postgresql',
      SERVICE_CHAT_HISTORY__CONNECTION_STRING: server.url,
      SERVICE_CHAT_HISTORY__POOL_SIZE: '4',
      SERVICE_CLUSTER__LEASE_SECONDS: String(LEASE_SECONDS),
    });
  });
  afterAll(async () => {
    release();
    service.kill('SIGKILL');
    await service.exited;
    await provider.close();
    await server.remove();
    rmSync(folder, { recursive: true });
  });

  const post = (path: string, body: object) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const say = (thread_id: string, user_prompt: string) =>
    post('/api/v1/chat', { user_prompt, thread_id, conversation_flow: 'classification-agent' });
  const get = (path: string) => fetch(`${service.url}${path}`);

  async function saidIn(threadId: string): Promise<string[]> {
    const lost: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const from: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await (await get(`/api/v1/threads/${threadId}/messages?limit=100${from}`)).json();
      const { messages, next_cursor } = page as {
        messages: { role: string; content: string }[];
        next_cursor: string | null;
      };
      lost.push(...messages.filter(({ role }) => role === 'user').map(({ content }) => content));
      cursor = next_cursor;
    }
    return lost;
  }

  /** Resolves when the service is ready again. */
  async function ready(): Promise<void> {
    const until = performance.now() + 20_000;
    while ((await get('/readyz')).status !== 200) {
      if (performance.now() > until) throw new Error('the service does not come back');
      await Bun.sleep(50);
    }
  }

  /** A turn whose model call is held. */
  async function turnUnderWay(threadId: string) {
    hold();
    const before = provider.requests.length;
    const answer = say(threadId, 'The pedal is loose.');
    while (provider.requests.length < before + 2) await Bun.sleep(10);
    return answer;
  }

  async function expectAway(milliseconds: number): Promise<void> {
    expect(await (await get('/livez')).text()).toBe('ok');
    const began = performance.now();
    const readiness = await get('/readyz');
    expect(performance.now() - began).toBeLessThan(1_000 + SLACK_MS);
    const health = await get('/api/v1/health');
    expect(performance.now() - began).toBeLessThan(2_000 + SLACK_MS);
    expect(health.status).toBe(503);
    const answers = [readiness, ...(await Promise.all([say('new', 'Hello'), get('/api/v1/threads')]))];
    for (const answer of answers) {
      const body = (await answer.json()) as { error_code: string };
      expect({ status: answer.status, code: body.error_code }).toEqual({
        status: 503,
        code: 'STATE_UNAVAILABLE',
      });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const protocol = await post('/threads', {});
    expect(protocol.status).toBe(503);
    expect(protocol.headers.get('content-type')).toStartWith('text/plain');
    expect(protocol.headers.get('retry-after')).toBe('1');
    expect(await protocol.text()).toBe('The database of the service cannot be reached. Try again later');
    expect(performance.now() - began).toBeLessThan(milliseconds + SLACK_MS);
  }

  test('a short outage interrupts new requests, but not a running turn', async () => {
    const calls = provider.requests.length;
    const underWay = turnUnderWay('short');
    while (provider.requests.length < calls + 2) await Bun.sleep(10);
    await server.kill();
    await expectAway(2_000);
    release();
    await server.start();
    const answer = await underWay;
    expect(answer.status).toBe(200);
    await ready();
    expect(await saidIn('short')).toEqual(['The pedal is loose.']);
    expect(provider.requests.length).toBe(calls + 2);
  });

  test('after an outage longer than the lease, the error names the run, which continues by itself and ends once', async () => {
    const calls = provider.requests.length;
    const underWay = turnUnderWay('long');
    while (provider.requests.length < calls + 2) await Bun.sleep(10);
    await server.kill();
    release();
    const answer = await underWay;
    const { error_code, detail } = (await answer.json()) as { error_code: string; detail: string };
    expect({ status: answer.status, error_code }).toEqual({ status: 503, error_code: 'STATE_UNAVAILABLE' });
    expect(answer.headers.get('retry-after')).toBe('1');
    const [runId] = /[0-9a-f-]{36}/.exec(detail) ?? [];
    await server.start();
    await ready();
    const ended = await (async () => {
      for (;;) {
        const run = (await (await get(`/api/v1/runs/${runId}`)).json()) as { status: string };
        if (run.status !== 'running' && run.status !== 'queued') return run;
        await Bun.sleep(50);
      }
    })();
    expect(ended).toMatchObject({ status: 'succeeded' });
    expect(await saidIn('long')).toEqual(['The pedal is loose.']);
    // The service still works.
    expect((await say('long', 'And now?')).status).toBe(200);
  });

  test('a waiting LangGraph client is informed that the run continues', async () => {
    hold();
    const calls = provider.requests.length;
    const waiting = post('/runs/wait', {
      assistant_id: 'classification-agent',
      input: { messages: [{ role: 'user', content: 'The pedal is loose.' }] },
    });
    while (provider.requests.length < calls + 2) await Bun.sleep(10);
    await server.kill();
    release();
    const answer = await waiting;
    await server.start();
    expect(answer.status).toBe(503);
    expect(await answer.text()).toMatch(/^Run [0-9a-f-]{36} was accepted and continues$/);
    await ready();
  });

  test('a database that does not respond counts as unavailable, and work continues when it returns', async () => {
    const calls = provider.requests.length;
    const underWay = turnUnderWay('silent');
    while (provider.requests.length < calls + 2) await Bun.sleep(10);
    server.pause();
    try {
      // Statements are given up after the lease, connections after 5 s.
      await expectAway(30_000);
    } finally {
      server.resume();
      release();
    }
    await ready();
    const answer = await underWay;
    if (answer.status !== 200) expect(await answer.json()).toMatchObject({ error_code: 'STATE_UNAVAILABLE' });
    while ((await saidIn('silent')).length === 0) await Bun.sleep(50);
    expect(await saidIn('silent')).toEqual(['The pedal is loose.']);
  });

  test('acknowledged turns are kept exactly once despite database failures', async () => {
    release();
    held = Promise.resolve();
    const acknowledged = new Map<string, string[]>();
    let going = true;
    const outcomes = new Set<string>();
    async function client(name: number): Promise<void> {
      for (let turn = 0; going; turn++) {
        const thread = `client-${name}`;
        const prompt = `turn ${turn} of ${name}`;
        const answer = await say(thread, prompt);
        const body = (await answer.json()) as { error_code?: string };
        outcomes.add(`${answer.status} ${body.error_code ?? ''}`);
        if (answer.ok) acknowledged.set(thread, [...(acknowledged.get(thread) ?? []), prompt]);
        else await Bun.sleep(100);
      }
    }
    const clients = [1, 2, 3].map(client);
    for (let round = 0; round < 2; round++) {
      await Bun.sleep(1_500);
      await server.kill();
      await Bun.sleep(500);
      await server.start();
      await Bun.sleep(1_500);
      server.pause();
      await Bun.sleep(1_000);
      server.resume();
    }
    await ready();
    going = false;
    await Promise.all(clients);
    expect([...outcomes].filter((one) => one !== '200 ' && one !== '503 STATE_UNAVAILABLE')).toEqual([]);
    expect(acknowledged.size).toBe(3);
    for (const [thread, prompts] of acknowledged) {
      const texts = await saidIn(thread);
      expect(texts.filter((text) => prompts.includes(text))).toEqual(prompts);
    }
  });
});
