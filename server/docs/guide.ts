/** Serves the guides of docs/ as HTML pages without scripts or external resources. The package contains the files too. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Elysia, t } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { guidePage } from './guide-page.ts';

const ROOT = join(import.meta.dir, '../..');
const EXTENSION = '.md';

export const guideRoutes = ({ web }: Services) => {
  // Never invalidated, because the guides only change with the package.
  const cache = new Map<string, Promise<string>>();
  /** Returns a guide; without a name, the list of all guides. */
  const pageOf = (name?: string) => {
    const page = cache.get(name ?? '') ?? rendered(name, web.base_path);
    cache.set(name ?? '', page);
    // Failures are not cached.
    page.catch(() => cache.delete(name ?? ''));
    return page;
  };

  return new Elysia({ name: 'guide' })
    .get('/docs/guide', async ({ set }) => html(set.headers, await pageOf()), {
      detail: { summary: 'List the guides', tags: ['docs'], responses: PAGE },
    })
    .get('/docs/guide/:page', async ({ params: { page }, set }) => html(set.headers, await pageOf(page)), {
      params: t.Object({ page: t.String({ description: 'The name of the guide, such as tutorial' }) }),
      detail: {
        summary: 'Get a guide',
        tags: ['docs'],
        responses: { ...PAGE, ...errorResponses('NOT_FOUND') },
      },
    });
};

const PAGE = { 200: { description: 'The page', content: { 'text/html': {} } } };

function html(headers: Record<string, string | number>, page: string): string {
  headers['content-type'] = 'text/html; charset=utf-8';
  headers['content-security-policy'] =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
  return page;
}

async function rendered(name: string | undefined, basePath: string): Promise<string> {
  const files = await readdir(join(ROOT, 'docs'));
  const names = new Set(
    files.filter((file) => file.endsWith(EXTENSION)).map((file) => file.slice(0, -EXTENSION.length)),
  );
  if (name !== undefined && !names.has(name))
    throw new SkeinError('NOT_FOUND', { detail: 'The guide does not exist' });
  const file = name === undefined ? 'README.md' : `docs/${name}${EXTENSION}`;
  const text = await readFile(join(ROOT, file), 'utf8');
  const guide = name === undefined ? listIn(text) : await withPictures(text);
  return guidePage({ text: guide, names, basePath });
}

const PICTURE = /\]\((images\/[a-z0-9-]+\.png)\)/g;

/** Embeds the pictures, so that the page needs no further requests. */
async function withPictures(text: string): Promise<string> {
  const paths = new Set(Array.from(text.matchAll(PICTURE), ([, path = '']) => path));
  const pictures = new Map<string, string>();
  for (const path of paths) pictures.set(path, await readFile(join(ROOT, 'docs', path), 'base64'));
  return text.replaceAll(PICTURE, (_, path) => `](data:image/png;base64,${pictures.get(path)})`);
}

/** The section of the README that lists the guides. */
function listIn(readme: string): string {
  const [, list = ''] = /^## Guides\n([\s\S]*?)(?=^## )/m.exec(readme) ?? [];
  return `# Guides\n${list}`;
}
