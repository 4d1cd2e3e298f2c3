/** The time of store queries that compare all items below a prefix, and how long they block the event loop. */
import { ItemStore } from '../state/items/store.ts';
import { openItems } from '../tests/contracts/open-items.ts';
import { quantile } from './load.ts';

const ITEMS = 10_000;
const NAMESPACES = 10;
const BATCH = 200;
const ROUNDS = 15;
const WIDTHS = [512, 1_536];

export async function store(): Promise<string> {
  const rows: string[] = [];
  for (const dims of WIDTHS) rows.push(...(await measured(dims)));
  return `## Queries of the store

${ITEMS} items of 400 characters with one vector each, in ${NAMESPACES} namespaces. Every query compares all items below its prefix.

| dimensions | search | p50 ms | longest block of the event loop, ms |
|---|---|---|---|
${rows.join('\n')}
`;
}

async function measured(dims: number): Promise<string[]> {
  const { items, close } = openItems();
  const embed = async (texts: readonly string[]) => texts.map(() => randomVector(dims));
  const index = { fields: ['text'], open: async () => ({ name: 'random', embed }) };
  const store = new ItemStore(items, 'ann', { index });
  const put = (n: number) => {
    const value = { n, text: `${n} ${'x'.repeat(400)}` };
    return { namespace: ['n', `${n % NAMESPACES}`], key: `${n}`, value };
  };
  for (let from = 0; from < ITEMS; from += BATCH)
    await store.batch(Array.from({ length: BATCH }, (_, n) => put(from + n)));
  const query = (options: object = {}, prefix = ['n']) => store.search(prefix, { query: 'q', ...options });
  const searches: [string, () => Promise<unknown>][] = [
    ['all', () => query()],
    ['a tenth of them', () => query({}, ['n', '3'])],
    ['all, with a filter that matches half of them', () => query({ filter: { n: { $gte: ITEMS / 2 } } })],
    ['all, with a filter that matches none', () => query({ filter: { n: -1 } })],
    ['all, 8 concurrent queries', () => Promise.all(Array.from({ length: 8 }, () => query()))],
  ];
  const rows: string[] = [];
  for (const [name, search] of searches) {
    const { times, longest } = await timed(search);
    rows.push(`| ${dims} | ${name} | ${quantile(times, 0.5).toFixed(0)} | ${longest.toFixed(0)} |`);
  }
  await close();
  return rows;
}

async function timed(search: () => Promise<unknown>): Promise<{ times: number[]; longest: number }> {
  await search();
  const times: number[] = [];
  let longest = 0;
  let last = performance.now();
  const watch = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 0);
  for (let round = 0; round < ROUNDS; round++) {
    const since = performance.now();
    await search();
    times.push(performance.now() - since);
  }
  clearInterval(watch);
  return { times, longest };
}

function randomVector(dims: number): Float32Array {
  return Float32Array.from({ length: dims }, () => Math.random() - 0.5);
}
