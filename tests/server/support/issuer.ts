/** An OpenID Connect issuer on a real socket, which publishes keys and signs tokens, also invalid ones. */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export interface Issuer {
  /** The `iss` of its tokens. */
  url: string;
  /** How many times its keys were requested. */
  fetched: number;
  /** The published keys. */
  published: JWK[];
  /** If it returns a response, that is sent instead of one of the documents. */
  instead: (path: string) => Response | Promise<Response> | undefined;
  /** Creates a key and, by default, publishes it. */
  add(alg: 'RS256' | 'ES256' | 'EdDSA', options?: { published?: boolean }): Promise<SigningKey>;
  /** Stops listening. `start` uses the same port. */
  stop(): Promise<void>;
  /** Listens again. */
  start(): void;
}

export interface SigningKey {
  kid: string;
  alg: string;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
  jwk: JWK;
}

export const AUDIENCE = 'https://skein.example.org';

export function localIssuer(): Issuer {
  let server: ReturnType<typeof listen> | undefined;
  const listen = (port: number) =>
    Bun.serve({
      port,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname } = new URL(request.url);
        const other = await issuer.instead(pathname);
        if (other) return other;
        if (pathname === '/.well-known/openid-configuration')
          return Response.json({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` });
        if (pathname !== '/keys') return new Response(null, { status: 404 });
        issuer.fetched++;
        return Response.json({ keys: issuer.published });
      },
    });
  server = listen(0);
  const { port = 0 } = server;
  const issuer: Issuer = {
    url: `http://127.0.0.1:${port}`,
    fetched: 0,
    published: [],
    instead: () => undefined,
    async add(alg, { published = true } = {}) {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      const kid = `${alg}-${Bun.randomUUIDv7()}`;
      const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
      if (published) issuer.published.push(jwk);
      return { kid, alg, publicKey, privateKey, jwk };
    },
    async stop() {
      await server?.stop(true);
      server = undefined;
    },
    start() {
      server ??= listen(port);
    },
  };
  return issuer;
}

export const seconds = () => Math.floor(Date.now() / 1000);

/** A valid token with the given changes. Undefined removes a claim or a header field. */
export function signedBy(
  { url }: Pick<Issuer, 'url'>,
  { kid, alg, privateKey }: SigningKey,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  const payload = { iss: url, aud: AUDIENCE, sub: 'alice', iat: seconds(), exp: seconds() + 600, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header }).sign(privateKey);
}
