/** Reads what an issuer publishes: its configuration, and the keys that it signs with. */
import type { JSONWebKeySet } from 'jose';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

// The keys of large issuers take some kilobytes.
const MAX_BYTES = 256 * 1024;

/**
 * Both documents together, until `signal` ends it. Rejects with a sentence that names the document and holds nothing of it.
 * A redirect is an error: it could name any host.
 */
export async function readKeys(issuer: string, signal: AbortSignal, fetch: Fetch): Promise<JSONWebKeySet> {
  // OpenID Connect Discovery 1.0, sections 4.1 and 4.3.
  const place = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = await readObject('openid-configuration', place, { signal, fetch });
  if (found.issuer !== issuer)
    throw new Error('openid-configuration: its issuer differs from web_configuration.authentication.oidc');
  const { keys } = await readObject('jwks_uri', keysPlace(found.jwks_uri, issuer), { signal, fetch });
  if (!Array.isArray(keys) || !keys.every(isObject)) throw new Error('jwks_uri: expected a set of keys');
  return { keys };
}

function keysPlace(uri: unknown, issuer: string): string {
  if (typeof uri !== 'string' || !URL.canParse(uri))
    throw new Error('openid-configuration: expected a URL as jwks_uri');
  const { protocol } = new URL(uri);
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
  if (!isAllowed) throw new Error('openid-configuration: expected an https URL as jwks_uri');
  return uri;
}

async function readObject(
  name: string,
  url: string,
  { signal, fetch }: { signal: AbortSignal; fetch: Fetch },
): Promise<Record<string, unknown>> {
  const headers = { accept: 'application/json' };
  const response = await fetch(url, { headers, signal, redirect: 'manual' }).catch(() => {
    throw new Error(`${name}: no answer`);
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${name}: answered with status ${response.status}`);
  }
  const text = await boundedText(name, response);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Said below: the parser's message would quote the document.
  }
  throw new Error(`${name}: expected a JSON object`);
}

async function boundedText(name: string, { body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  for (;;) {
    const piece = await reader?.read().catch(() => {
      throw new Error(`${name}: the answer broke off`);
    });
    if (!piece || piece.done) return Buffer.concat(pieces).toString();
    bytes += piece.value.byteLength;
    if (bytes > MAX_BYTES) {
      await reader?.cancel();
      throw new Error(`${name}: expected at most ${MAX_BYTES} bytes`);
    }
    pieces.push(piece.value);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
