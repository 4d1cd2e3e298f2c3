/** Issues and verifies access and refresh tokens, as HS256 JWTs. Neither type is accepted in place of the other. */
import { hkdfSync } from 'node:crypto';
import type { JWTPayloadSpec } from '@elysiajs/jwt';

export type TokenType = 'access' | 'refresh';

export interface Token {
  id: string;
  username: string;
  /** All refresh tokens of a login have the same family. */
  family: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export interface Tokens {
  issue(type: TokenType, username: string, family: string): Promise<string>;
  /** Returns undefined unless this is a valid, unexpired token of this type. */
  read(type: TokenType, token: string): Promise<Token | undefined>;
  lifetimeSeconds(type: TokenType): number;
}

export interface TokenOptions {
  secret: string;
  accessMinutes: number;
  refreshDays: number;
}

type Claims = JWTPayloadSpec & Partial<Record<'typ' | 'fam', unknown>>;

const ISSUER = 'skein';
const REQUIRED = ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'typ', 'fam'];
// Three parts of base64url.
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_LENGTH = 4_096;

/** Each type has its own key (derived from the secret), its own audience, and its own `typ` in the header and the claims. */
export function openTokens({ secret, accessMinutes, refreshDays }: TokenOptions): Tokens {
  const seconds = { access: accessMinutes * 60, refresh: refreshDays * 86_400 };
  const signers = { access: signerFor(secret, 'access'), refresh: signerFor(secret, 'refresh') };
  return {
    lifetimeSeconds: (type) => seconds[type],
    async issue(type, username, family) {
      const exp = Math.floor(Date.now() / 1000) + seconds[type];
      const { sign } = await signers[type];
      return await sign({ sub: username, jti: Bun.randomUUIDv7(), typ: type, fam: family, exp });
    },
    async read(type, token) {
      if (token.length > MAX_LENGTH || !COMPACT.test(token) || !isCanonical(token)) return undefined;
      const { verify } = await signers[type];
      // Without these options, the plugin only checks the signature, and `exp` if the token has it.
      const claims = await verify(token, {
        algorithms: ['HS256'],
        typ: `${type}+jwt`,
        issuer: ISSUER,
        audience: type,
        requiredClaims: REQUIRED,
        maxTokenAge: seconds[type],
      });
      return claims ? tokenIn(claims, type) : undefined;
    },
  };
}

/** Doesn't use the plugin's `schema`, which would loosen the checks of `sub`, `jti` and `exp`. `tokenIn` checks the claims. */
async function signerFor(secret: string, type: TokenType) {
  const bytes = hkdfSync('sha256', secret, 'skein', `${type} token`, 32);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  // A CryptoKey, because plain bytes would be imported again for each token and would be valid for any HMAC algorithm.
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify']);
  // Loaded here, because a service without authentication needs neither the plugin nor its library.
  const { jwt } = await import('@elysiajs/jwt');
  const plugin = jwt({ secret: key, alg: 'HS256', typ: `${type}+jwt`, iss: ISSUER, aud: type });
  // Taken from the plugin without `use`, because the guard reads tokens before a route has a context.
  return plugin.decorator.jwt;
}

/** Rejects other encodings of the same bytes: the last character of base64url may have unused bits. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

function tokenIn({ sub, jti, exp, typ, fam }: Claims, type: TokenType): Token | undefined {
  const areStrings = [sub, jti, fam].every((claim) => typeof claim === 'string' && claim !== '');
  if (!areStrings || typ !== type || !Number.isSafeInteger(exp)) return undefined;
  return { id: String(jti), username: String(sub), family: String(fam), expiresAt: Number(exp) * 1000 };
}
