/** GET /studio and all paths below it: the static files of the debugging pages, which load their data from the API. */
import { gunzipSync } from 'node:zlib';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { SkeinError } from '../../state/errors.ts';
import { acceptedEncoding } from '../http/compression.ts';
import { isKnown } from '../http/headers/if-none-match.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { StudioFile, StudioFiles } from './files.ts';

const ASSETS = 'assets/';

export const studioRoutes = (studio: StudioFiles) => {
  async function answer(path: string, request: Request): Promise<Response> {
    const name = path.startsWith(ASSETS) ? path.slice(ASSETS.length) : '';
    const file = await studio.find(name);
    if (!file || path === ASSETS) throw new SkeinError('NOT_FOUND');
    return responseOf(file, request);
  }

  const detail = {
    tags: ['studio'],
    responses: {
      200: {
        description: 'The page or one of its files',
        content: { 'text/html': { schema: Type.String() } },
      },
      304: { description: 'Not modified since the ETag of If-None-Match' },
    },
  };
  return new Elysia({ name: 'studio' })
    .get('/studio', ({ request }) => answer('', request), {
      detail: { ...detail, summary: 'Get the debugging page' },
    })
    .get('/studio/*', ({ params, request }) => answer(params['*'], request), {
      detail: {
        ...detail,
        summary: 'Get the debugging page at one of its addresses, or one of its files below /studio/assets',
        responses: { ...detail.responses, ...errorResponses('NOT_FOUND') },
      },
    });
};

/** Only allows the service's own files, and no inline scripts or styles. */
const POLICY = [
  "default-src 'none'",
  ...[
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
  ],
  ...["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"],
].join('; ');

function responseOf(file: StudioFile, request: Request): Response {
  const headers: Record<string, string> = {
    'content-type': file.type,
    etag: file.etag,
    vary: 'Accept-Encoding',
    // The names of all files but the page contain a hash of the content.
    'cache-control': file.name === '' ? 'no-cache' : 'public, max-age=31536000, immutable',
    // Only the page needs a policy.
    ...(file.name === '' && { 'content-security-policy': POLICY }),
  };
  if (isKnown(request, file.etag)) {
    return new Response(null, { status: 304, headers });
  }
  const encoding = acceptedEncoding(request, ['br', 'gzip']);
  const bytes = encoding ? file[encoding] : gunzipSync(file.gzip);
  if (encoding) headers['content-encoding'] = encoding;
  return new Response(new Uint8Array(bytes), { headers });
}
