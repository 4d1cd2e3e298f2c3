/** The guides of docs/ as pages, from the files that the repository and the package have: no script, nothing loaded. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Elysia, t } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { errorResponses } from '../http/error-schema.ts';
import type { Services } from '../services.ts';
import { guidePage } from './guide-page.ts';

const ROOT = join(import.meta.dir, '../..');
const ENDING = '.md';

export const guideRoutes = ({ web }: Services) => {
  const made = new Map<string, Promise<string>>();
  /** Undefined: the list of all. They change with the package alone. */
  const pageOf = (name?: string) => {
    const page = made.get(name ?? '') ?? written(name, web.base_path);
    made.set(name ?? '', page);
    // What failed is tried again.
    page.catch(() => made.delete(name ?? ''));
    return page;
  };

  return new Elysia({ name: 'guide' })
    .get('/docs/guide', async ({ set }) => html(set.headers, await pageOf()), {
      detail: { summary: 'The list of the guides', tags: ['docs'], responses: PAGE },
    })
    .get('/docs/guide/:page', async ({ params: { page }, set }) => html(set.headers, await pageOf(page)), {
      params: t.Object({ page: t.String() }),
      detail: {
        summary: 'A guide',
        tags: ['docs'],
        responses: { ...PAGE, ...errorResponses('NOT_FOUND') },
      },
    });
};

const PAGE = { 200: { description: 'The page', content: { 'text/html': {} } } };

function html(headers: Record<string, string | number>, page: string): string {
  headers['content-type'] = 'text/html; charset=utf-8';
  headers['content-security-policy'] =
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
  return page;
}

async function written(name: string | undefined, basePath: string): Promise<string> {
  const files = await readdir(join(ROOT, 'docs'));
  const names = new Set(
    files.filter((file) => file.endsWith(ENDING)).map((file) => file.slice(0, -ENDING.length)),
  );
  if (name !== undefined && !names.has(name)) throw new SkeinError('NOT_FOUND', { detail: 'no such guide' });
  const text = await readFile(join(ROOT, name === undefined ? 'README.md' : `docs/${name}${ENDING}`), 'utf8');
  return guidePage({ text: name === undefined ? listIn(text) : text, names, basePath });
}

/** The README's section that lists them. */
function listIn(readme: string): string {
  const [, list = ''] = /^## Guides\n([\s\S]*?)(?=^## )/m.exec(readme) ?? [];
  return `# Guides\n${list}`;
}
