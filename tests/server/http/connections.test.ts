/** The service closes idle connections and those of stalled requests, but never one that is waiting for a response. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATE, ITS_KEY } from '../../support/certificate.ts';
import { type ChatRequest, scriptedProvider } from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';
import { echoing, questionOf } from '../support/calls.ts';
import { type RawSocket, rawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';

// Bun checks connections every four seconds, and always allows ten seconds for a connection's first headers.
setDefaultTimeout(120_000);
const CLOSED_MS = 60_000;

const { promise: held, resolve: release } = Promise.withResolvers<string>();
const provider = scriptedProvider(
  echoing({ answer: async (request: ChatRequest) => (questionOf(request) === 'wait' ? held : 'At once.') }),
);
const folder = mkdtempSync(join(tmpdir(), 'skein-connections-'));
const services: TestService[] = [];
const sockets: RawSocket[] = [];

beforeAll(async () => {
  await Bun.write(join(folder, 'cert.pem'), CERTIFICATE);
  await Bun.write(join(folder, 'key.pem'), ITS_KEY);
  const tls = `web_configuration: {tls: {cert: ${folder}/cert.pem, key: ${folder}/key.pem}}`;
  for (const config of ['', tls])
    services.push(
      await testService({ config, times: { idle: 12, body: 4 }, env: providerEnv(provider.url) }),
    );
});
afterAll(async () => {
  for (const socket of sockets) socket.close();
  for (const service of services) await service.close();
  await provider.close();
  rmSync(folder, { recursive: true });
});

const LIVE = 'GET /livez HTTP/1.1\r\nHost: localhost:8080\r\n\r\n';
const PART = 'GET /livez HTTP/1.1\r\nHost: localhost:8080\r\nX-Header: a';
const NOT_FOUND = 'GET /nowhere HTTP/1.1\r\nHost: localhost:8080\r\n\r\n';

function chat(user_prompt: string, { accept = 'application/json', missing = 0 } = {}): string {
  const body = JSON.stringify({ user_prompt, conversation_flow: 'classification-agent' });
  const headers = `Host: localhost:8080\r\nContent-Type: application/json\r\nAccept: ${accept}`;
  const length = body.length + missing;
  return `POST /api/v1/chat HTTP/1.1\r\n${headers}\r\nContent-Length: ${length}\r\n\r\n${body}`;
}
const STREAM = { accept: 'text/event-stream' };

/** What a client sends, what it then sends slowly, and the number of responses until the connection is closed. */
const CLIENTS: [name: string, sent: string, drip: string, answers: number][] = [
  ['sends nothing', '', '', 0],
  ['stops inside its first header', PART, '', 0],
  ['drips its first header', PART, 'a', 0],
  ['is idle after a response', LIVE, '', 1],
  ['is idle after two responses', LIVE + LIVE, '', 2],
  ['is idle after an error', NOT_FOUND, '', 1],
  ['is idle after a turn', chat('hi'), '', 1],
  ['is idle after a stream', chat('hi', STREAM), '', 1],
  ['stops inside its next header', LIVE + PART, '', 1],
  ['drips its next header', LIVE + PART, 'a', 1],
  ['stops inside a body', chat('hi', { missing: 100 }), '', 0],
  ['stops inside its next body', LIVE + chat('hi', { missing: 100 }), '', 1],
];

test.concurrent('a client that is idle or stalls within its request is disconnected', async () => {
  const outcomes = services.flatMap((service) =>
    CLIENTS.map(async ([name, sent, drip]) => [
      service.url,
      name,
      await answersUntilClosed(service, sent, drip),
    ]),
  );
  expect(await Promise.all(outcomes)).toEqual(
    services.flatMap(({ url }) => CLIENTS.map(([name, , , answers]) => [url, name, answers])),
  );
});

test.concurrent('a silent turn and a stream keep their connections', async () => {
  const clients = await Promise.all(
    services.map(async (service) => {
      const [silent, stream] = [await connect(service), await connect(service)];
      await silent.send(chat('wait'));
      await stream.send(chat('wait', STREAM));
      return { service, silent, stream };
    }),
  );
  // An idle connection, which exists for less time, is closed before they get their responses.
  expect(await Promise.all(services.map((service) => answersUntilClosed(service, LIVE)))).toEqual([1, 1]);
  expect(clients.map(({ silent }) => silent.received())).toEqual(['', '']);
  release('It is over.');
  for (const { silent, stream } of clients) {
    expect((await silent.answer(CLOSED_MS)).status).toBe(200);
    await until(() => stream.received().includes('event: end'), CLOSED_MS);
    expect(stream.received()).toContain('It is over.');
  }
});

async function connect(service: TestService): Promise<RawSocket> {
  const socket = await rawSocket(service);
  sockets.push(socket);
  return socket;
}

/** Returns the number of responses, or 'not closed' after a timeout. */
async function answersUntilClosed(
  service: TestService,
  sent: string,
  slowPart = '',
): Promise<number | string> {
  const socket = await connect(service);
  await socket.send(sent);
  const timer = setInterval(() => void socket.send(slowPart), 500);
  const isOpen = await Promise.race([socket.closed, Bun.sleep(CLOSED_MS).then(() => true)]);
  clearInterval(timer);
  return isOpen ? 'not closed' : socket.received().split('HTTP/1.1 ').length - 1;
}
