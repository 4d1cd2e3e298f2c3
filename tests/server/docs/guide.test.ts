/** The guides as HTML pages. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type TestService, testService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService({ config: 'web_configuration: {base_path: /skein}\n' });
});
afterAll(() => service.close());

const ROOT = join(import.meta.dir, '../../..');
const NAMES = [...new Bun.Glob('*.md').scanSync(join(ROOT, 'docs'))].map((file) => file.slice(0, -3));

interface Page {
  status: number;
  text: string;
  links: string[];
  ids: Set<string>;
  loads: string[];
  pictures: string[];
}

/** `path` is relative to the base path. */
async function page(path: string): Promise<Page> {
  const response = await service.fetch(path);
  const text = await response.text();
  const found: Page = { status: response.status, text, links: [], ids: new Set(), loads: [], pictures: [] };
  new HTMLRewriter()
    .on('a[href]', { element: (link) => void found.links.push(link.getAttribute('href') ?? '') })
    .on('[id]', { element: (one) => void found.ids.add(one.getAttribute('id') ?? '') })
    .on('img', {
      element: (image) => void found.pictures.push(image.getAttribute('src') ?? ''),
    })
    .on('script, link, iframe, object, embed, base, form, [src]:not(img), [onclick], [onerror]', {
      element: ({ tagName }) => void found.loads.push(tagName),
    })
    .transform(text);
  return found;
}

test('the list has every guide, and every guide has a page', async () => {
  const list = await page('/docs/guide');
  expect(list.status).toBe(200);
  expect(NAMES.length).toBeGreaterThan(25);
  const pages = await Promise.all(
    NAMES.map(async (name) => [name, await page(`/docs/guide/${name}`)] as const),
  );
  expect(pages.filter(([, { status }]) => status !== 200).map(([name]) => name)).toEqual([]);
  const reached = new Set(
    [list, ...pages.map(([, one]) => one)].flatMap(({ links }) => links.map((link) => link.split('#')[0])),
  );
  expect(NAMES.filter((name) => !reached.has(`/skein/docs/guide/${name}`))).toEqual([]);
});

test('their links lead to pages of the service with existing anchors, or to other hosts', async () => {
  const pages = new Map<string, Page>(
    await Promise.all(
      NAMES.map(async (name) => [`/skein/docs/guide/${name}`, await page(`/docs/guide/${name}`)] as const),
    ),
  );
  const broken = [...pages].flatMap(([address, { links }]) =>
    links.flatMap((link) => {
      if (/^https?:/.test(link) || ['/skein/docs/guide', '/skein/docs', '/skein/studio'].includes(link))
        return [];
      const [path = '', anchor] = link.split('#');
      const target = pages.get(path === '' ? address : path);
      const leads = target && (anchor === undefined || target.ids.has(anchor));
      return leads ? [] : [`${address}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('their pictures are part of the page', async () => {
  const { pictures } = await page('/docs/guide/studio');
  expect(pictures.length).toBeGreaterThan(3);
  for (const name of NAMES)
    for (const source of (await page(`/docs/guide/${name}`)).pictures)
      expect(source).toStartWith('data:image/png;base64,iVBORw0KGgo');
});

test('they run and load nothing', async () => {
  for (const name of NAMES)
    expect({ name, loads: (await page(`/docs/guide/${name}`)).loads }).toEqual({ name, loads: [] });
  const { headers } = await service.fetch('/docs/guide/errors');
  expect(headers.get('content-security-policy')).toStartWith("default-src 'none'; style-src 'unsafe-inline'");
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
});

test.each([
  'nothing',
  '..%2f..%2fpackage',
  '%2e%2e%2fREADME',
  'reference',
  'Errors',
  'errors.md',
  'images',
  '%00',
])('the guide %s does not exist', async (name) => {
  const response = await service.fetch(`/docs/guide/${name}`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error_code: 'NOT_FOUND' });
});

test('the API reference links to them', async () => {
  expect((await page('/docs')).links).toContain('/skein/docs/guide');
});
