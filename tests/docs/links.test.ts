/** Every relative link of the documents leads to a file, and every anchor to a heading. */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PAGES, proseOf, ROOT, textOf } from './pages.ts';

interface Link {
  /** `docs/runs.md:12`. */
  location: string;
  page: string;
  target: string;
}

const LINK = /\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g;
const REFERENCE = /^\[[^\]]+\]: +(\S+)/gm;

async function linksOf(page: string): Promise<Link[]> {
  const prose = await proseOf(page);
  return [LINK, REFERENCE].flatMap((pattern) =>
    Array.from(prose.matchAll(pattern), ({ index, 1: target = '' }) => {
      const line = prose.slice(0, index).split('\n').length;
      return { location: `${page}:${line}`, page, target };
    }),
  );
}

const links = (await Promise.all(PAGES.map(linksOf))).flat();
const own = links.filter(({ target }) => !/^[a-z][a-z0-9+.-]*:/i.test(target));

test('the documents have links', () => {
  expect(PAGES.length).toBeGreaterThan(25);
  expect(own.length).toBeGreaterThan(200);
});

test('every relative link leads to a file of the repository', () => {
  const broken = own.filter(({ page, target }) => !existsSync(join(ROOT, fileOf(page, target))));
  expect(broken.map(({ location, target }) => `${location} ${target}`)).toEqual([]);
});

test('every anchor belongs to a heading', async () => {
  const broken: string[] = [];
  for (const { location, page, target } of own) {
    const [, anchor] = target.split('#');
    const file = fileOf(page, target);
    if (anchor === undefined || !file.endsWith('.md') || !existsSync(join(ROOT, file))) continue;
    if (!(await anchorsOf(file)).has(anchor)) broken.push(`${location} ${target}`);
  }
  expect(broken).toEqual([]);
});

test('every page of docs/ can be reached from the README', async () => {
  const reached = new Set(['README.md']);
  for (const page of reached)
    for (const { page: from, target } of own) if (from === page) reached.add(fileOf(from, target));
  expect(PAGES.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
});

test('a broken link is found', async () => {
  const anchors = await anchorsOf('docs/runs.md');
  expect(anchors.has('streams')).toBe(true);
  expect(anchors.has('no-such-heading')).toBe(false);
  expect(slugOf('`POST /api/v1/chat`: *one* turn, "as asked"')).toBe('post-apiv1chat-one-turn-as-asked');
});

function fileOf(page: string, target: string): string {
  const [path = ''] = target.split('#');
  return path === '' ? page : relative(ROOT, join(ROOT, dirname(page), decodeURIComponent(path)));
}

const known = new Map<string, Set<string>>();

/** Named as on GitHub: the anchor of a repeated heading ends with -1. */
async function anchorsOf(page: string): Promise<Set<string>> {
  const before = known.get(page);
  if (before) return before;
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const heading of headingsOf(await textOf(page))) {
    const slug = slugOf(heading);
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  known.set(page, anchors);
  return anchors;
}

function headingsOf(text: string): string[] {
  const prose = text.replaceAll(/^( *)(`{3,})[^`\n]*\n[\s\S]*?^\1\2$/gm, '');
  return Array.from(prose.matchAll(/^#{1,6} +(.+?) *#*$/gm), ([, heading = '']) => heading);
}

function slugOf(heading: string): string {
  return heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
