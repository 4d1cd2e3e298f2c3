/** The service's side of a socket whose client does not read. */
import { expect, test } from 'bun:test';
import { ANONYMOUS, remember } from '../../../../server/authentication/identity.ts';
import { threadSocket } from '../../../../server/langgraph/v2/socket.ts';
import { until } from '../../support/until.ts';

const services = { limits: { max_chat_body_bytes: 1000 } } as Parameters<typeof threadSocket>[0];

function opened(taken: () => boolean, expiresAt: number | null = null) {
  const request = new Request('http://localhost/threads/t/stream/events');
  remember(request, { ...ANONYMOUS, expiresAt });
  const end = threadSocket(services, { request, set: { headers: {} }, threadId: 't' });
  const sent: { message: string }[] = [];
  const codes: number[] = [];
  end.opened({
    send(text) {
      sent.push(JSON.parse(text));
      return taken();
    },
    close: (code) => void codes.push(code),
  });
  return { end, sent, codes };
}

test('the next answer waits until the client has read the previous one', async () => {
  const { end, sent } = opened(() => sent.length > 1);
  for (let count = 0; count < 3; count++) end.received('{');
  await Bun.sleep(5);
  expect(sent.length).toBe(1);
  end.drained();
  await until(() => sent.length === 3);
  end.closed();
});

test('a socket that keeps sending without reading the answers is closed', async () => {
  const { end, codes } = opened(() => false);
  for (let count = 0; count < 101; count++) end.received('{');
  expect(codes).toEqual([4429]);
  end.closed();
});

test('a command has the size limit of a request body', async () => {
  const { end, sent } = opened(() => true);
  end.received(`"${'x'.repeat(1000)}"`);
  await until(() => sent.length === 1);
  expect(sent[0]?.message).toBe('A command must be at most 1000 bytes');
  end.closed();
});

test('the socket closes when its credentials expire', async () => {
  const { end, codes } = opened(() => true, Date.now() + 20);
  await until(() => codes.length === 1);
  expect(codes).toEqual([4401]);
  end.closed();
});
