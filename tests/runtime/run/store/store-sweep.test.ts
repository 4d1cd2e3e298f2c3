/** The sweep of the store: expired items are deleted repeatedly, and a failure does not stop it. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import pino from 'pino';

import { storeSweep } from '../../../../runtime/run/store/store-sweep.ts';
import { localSweeps, type Sweeps } from '../../../../state/cluster/sweeps.ts';
import { ItemStore } from '../../../../state/items/store.ts';
import { openItems } from '../../../contracts/open-items.ts';
import { until } from '../../../server/support/until.ts';

const INTERVAL = { intervalMinutes: 0.0005 };

test('expired items are deleted soon after the start, and after each interval', async () => {
  const { items, removal, folder, close } = openItems();
  const store = new ItemStore(items, 'ann');
  const file = new Database(join(folder, 'state.db'), { readonly: true });
  const keys = () => file.query('SELECT key FROM items ORDER BY key').values().flat();
  const put = (key: string, ttl: number) => store.put(['n'], key, {}, undefined, { ttl });
  for (let n = 0; n < 60; n++) await put(`first ${n}`, 0.00001);
  await put('kept', 60);
  const sweep = storeSweep({ removal, sweeps: localSweeps, ...INTERVAL, log: pino({ level: 'silent' }) });
  sweep.start();
  await until(() => keys().length === 1);
  await put('second', 0.00001);
  await until(() => keys().length === 1);
  await sweep.stop();
  expect(keys()).toEqual(['kept']);
  file.close();
  await close();
});

test('a failed sweep is logged, and the next one still runs', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  let calls = 0;
  const removal = {
    async items() {
      if (calls++ === 0) throw new Error('the disk is full');
      return false;
    },
  };
  const sweep = storeSweep({ removal, sweeps: localSweeps, ...INTERVAL, log });
  sweep.start();
  await until(() => calls > 1);
  await sweep.stop();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('expired items cannot be deleted');
});

test('only one server sweeps at a time', async () => {
  const names: string[] = [];
  let busy = true;
  let swept = 0;
  const sweeps: Sweeps = {
    async runExclusively(name, work) {
      names.push(name);
      return busy ? undefined : work(new AbortController().signal);
    },
  };
  const removal = { items: async () => ++swept < 0 };
  const sweep = storeSweep({ removal, sweeps, ...INTERVAL, log: pino({ level: 'silent' }) });
  sweep.start();
  await until(() => names.length > 2);
  expect(swept).toBe(0);
  busy = false;
  await until(() => swept > 0);
  await sweep.stop();
  expect(new Set(names)).toEqual(new Set(['store']));
});
