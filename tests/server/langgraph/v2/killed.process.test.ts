/** A service that is killed during a run: the thread's events continue where they stopped. */
import { expect, onTestFinished, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceProcess, spawnService } from '../../../support/process.ts';
import { writeGraphs } from '../../../support/service.ts';
import { until } from '../../support/until.ts';
import { GRAPHS } from './graphs.ts';
import { command, listen, type ReceivedEvent, root } from './thread-events.ts';

const clientOf = ({ url }: ServiceProcess) => ({
  fetch: (path: string, init?: RequestInit) => fetch(`${url}${path}`, init),
});
const shown = (events: ReceivedEvent[]) =>
  events.map(({ seq, event_id, params }) => ({ seq, event_id, params }));

test('events from before a kill are replayed with the same numbers, and the run ends after them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-events-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await writeGraphs(folder, GRAPHS);
  const first = await spawnService(folder);
  onTestFinished(() => first.kill('SIGKILL'));
  const file = join(folder, 'go');
  const before = await listen(clientOf(first), 'killed');
  await command(clientOf(first), 'killed', 'run.start', { assistant_id: 'waiter', input: { file } });
  await before.until(({ method }) => method === 'tasks');
  first.kill('SIGKILL');
  await first.exited;
  const earlier = shown(before.events);
  const second = await spawnService(folder);
  onTestFinished(() => second.kill('SIGKILL'));
  const after = await listen(clientOf(second), 'killed');
  await until(() => after.events.length >= earlier.length);
  expect(shown(after.events).slice(0, earlier.length)).toEqual(earlier);
  await Bun.write(file, '');
  await after.until(root('completed'));
  const numbers = after.events.map(({ seq }) => seq);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(after.events.filter(root('running')).length).toBe(1);
}, 30_000);
