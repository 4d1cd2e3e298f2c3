/** A service notifies systemd when it is ready and when it stops. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notifySystemd } from '../../cli/service/process/notify.ts';
import { until } from '../server/support/until.ts';
import { reportMissing } from '../support/missing.ts';
import { spawnProcess, spawnService } from '../support/process.ts';

setDefaultTimeout(60_000);

const folder = mkdtempSync(join(tmpdir(), 'skein-notify-'));
afterAll(() => rmSync(folder, { recursive: true }));

// Bun can't receive datagrams on Unix sockets.
const PYTHON = Bun.which('python3');
if (!PYTHON) reportMissing('Python', 'apt-get install -y python3');
const LISTENER = `
import socket, sys
place = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
place.bind(sys.argv[1].replace('@', chr(0)))
print('bound', flush=True)
while True: print(place.recv(4096).decode(), flush=True)
`;

async function listening(socket: string) {
  const listener = spawnProcess([PYTHON ?? '', '-c', LISTENER, socket], folder, {});
  void Array.fromAsync(listener.lines);
  await until(() => listener.output().includes('bound'), 20_000);
  return listener;
}

test.skipIf(!PYTHON)('a service reports when it is ready and when it stops', async () => {
  const socket = join(folder, 'notify');
  const listener = await listening(socket);
  const service = await spawnService(folder, { NOTIFY_SOCKET: socket });
  try {
    await until(() => listener.output().includes('READY=1'), 20_000);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    service.kill('SIGTERM');
    expect(await service.exited).toBe(0);
    await until(() => listener.output() === 'bound\nREADY=1\nSTOPPING=1\n', 5_000);
  } finally {
    service.kill('SIGKILL');
    listener.kill('SIGKILL');
  }
});

test.skipIf(!PYTHON)('the socket may be an abstract one', async () => {
  const socket = `@skein-${crypto.randomUUID()}`;
  const listener = await listening(socket);
  try {
    expect(notifySystemd('READY=1', socket)).toBe(true);
    await until(() => listener.output().includes('READY=1'), 5_000);
  } finally {
    listener.kill('SIGKILL');
  }
});

test.each([
  ['is not set', undefined],
  ['is not there', '/nowhere/notify'],
  ['is of another kind', 'vsock:2:1'],
  ['has too long a path', `/${'a'.repeat(200)}`],
])('nothing happens if the socket %s', (_, socket) => {
  expect(notifySystemd('READY=1', socket)).toBe(false);
});
