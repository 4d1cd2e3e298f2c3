/** Reads an OpenID Connect issuer's configuration and its signing keys. */
import type { JSONWebKeySet } from 'jose';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

// The keys of large issuers take a few kilobytes.
const MAX_BYTES = 256 * 1024;

/**
 * Returns the issuer's key set. `signal` limits the time for both documents. Throws an error that names the document and quotes
 * none of its content. Redirects are errors, because they could lead to any host.
 */
export async function readKeys(issuer: string, signal: AbortSignal, fetch: Fetch): Promise<JSONWebKeySet> {
  // OpenID Connect Discovery 1.0, sections 4.1 and 4.3.
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = await readObject('openid-configuration', url, { signal, fetch });
  if (found.issuer !== issuer)
    throw new Error(
      'openid-configuration: its issuer differs from web_configuration.authentication.oidc.issuer',
    );
  const { keys } = await readObject('jwks_uri', keysUrl(found.jwks_uri, issuer), { signal, fetch });
  if (!Array.isArray(keys) || !keys.every(isObject)) throw new Error('jwks_uri: expected a JSON Web Key Set');
  return { keys };
}

function keysUrl(uri: unknown, issuer: string): string {
  if (typeof uri !== 'string' || !URL.canParse(uri))
    throw new Error('openid-configuration: jwks_uri must be a URL');
  const { protocol } = new URL(uri);
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'));
  if (!isAllowed) throw new Error('openid-configuration: jwks_uri must be an https URL');
  return uri;
}

async function readObject(
  name: string,
  url: string,
  { signal, fetch }: { signal: AbortSignal; fetch: Fetch },
): Promise<Record<string, unknown>> {
  const headers = { accept: 'application/json' };
  const response = await fetch(url, { headers, signal, redirect: 'manual' }).catch(() => {
    throw new Error(`${name}: no response`);
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${name}: unexpected status ${response.status}`);
  }
  const text = await limitedText(name, response);
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Not rethrown, because the parser's message would quote the document.
  }
  throw new Error(`${name}: expected a JSON object`);
}

async function limitedText(name: string, { body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  for (;;) {
    const chunk = await reader?.read().catch(() => {
      throw new Error(`${name}: the connection closed before the end of the response`);
    });
    if (!chunk || chunk.done) return Buffer.concat(chunks).toString();
    bytes += chunk.value.byteLength;
    if (bytes > MAX_BYTES) {
      await reader?.cancel();
      throw new Error(`${name}: expected at most ${MAX_BYTES} bytes`);
    }
    chunks.push(chunk.value);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
