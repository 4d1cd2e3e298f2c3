/** A double of Google Cloud Storage's JSON API: objects, generations and preconditions. */

export interface GcsDouble {
  endpoint: string;
  put(bucket: string, name: string, text: string): void;
  stop(): Promise<void>;
}

interface Stored {
  bytes: Uint8Array;
  generation: number;
  updated: string;
}

// Small, so that a listing has several pages.
const PAGE = 2;

export function startGcsDouble(): GcsDouble {
  const objects = new Map<string, Stored>();
  let generation = Date.now();

  function store(place: string, bytes: Uint8Array): object {
    objects.set(place, { bytes, generation: ++generation, updated: new Date().toISOString() });
    return described(place);
  }

  function described(place: string): object {
    const found = objects.get(place);
    const name = place.slice(place.indexOf('/') + 1);
    const { updated } = found ?? {};
    return { name, generation: `${found?.generation}`, size: `${found?.bytes.byteLength}`, updated };
  }

  function listed(bucket: string, query: URLSearchParams): object {
    const prefix = `${bucket}/${query.get('prefix') ?? ''}`;
    const names = [...objects.keys()].filter((place) => place.startsWith(prefix)).sort();
    const from = Number(query.get('pageToken') ?? 0);
    const more = names.length > from + PAGE ? { nextPageToken: `${from + PAGE}` } : {};
    return { items: names.slice(from, from + PAGE).map(described), ...more };
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams: query } = new URL(request.url);
    const [, upload, bucket = '', key] =
      /^(\/upload)?\/storage\/v1\/b\/([^/]+)\/o(?:\/(.+))?$/.exec(pathname) ?? [];
    const name = upload ? (query.get('name') ?? '') : decodeURIComponent(key ?? '');
    const place = `${bucket}/${name}`;
    const found = objects.get(place);
    if (key === undefined && !upload) return Response.json(listed(bucket, query));
    const wanted = query.get('ifGenerationMatch');
    if (wanted !== null && wanted !== `${found?.generation ?? 0}`) return new Response('', { status: 412 });
    if (upload) return Response.json(store(place, await request.bytes()));
    if (!found) return new Response('', { status: 404 });
    if (request.method === 'DELETE') objects.delete(place);
    if (request.method === 'DELETE') return new Response(null, { status: 204 });
    if (query.get('alt') === 'media') return new Response(found.bytes.slice());
    return Response.json(described(place));
  }

  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    put(bucket, name, text) {
      store(`${bucket}/${name}`, new TextEncoder().encode(text));
    },
    stop: () => server.stop(true),
  };
}
