/** Access and refresh tokens: HS256 JWTs that never stand in for each other. */
import { hkdfSync } from 'node:crypto';
import { type JWTPayloadSpec, jwt } from '@elysiajs/jwt';

export type TokenType = 'access' | 'refresh';

export interface Token {
  id: string;
  username: string;
  /** Refresh tokens that came of one login share it. */
  family: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export interface Tokens {
  issue(type: TokenType, username: string, family: string): Promise<string>;
  /** Undefined for whatever is not a token of ours, of this type, in force. */
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

/** Each type has its own key, derived from the secret, its own audience and its own `typ`, in header and claims. */
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
      // Without these options the plugin checks the signature, and `exp` only where there is one.
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

/** The plugin's `schema` is not used: it replaces the schemas of `sub`, `jti` and `exp` with looser ones. `tokenIn` checks them. */
async function signerFor(secret: string, type: TokenType) {
  const bytes = hkdfSync('sha256', secret, 'skein', `${type} token`, 32);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  // Bytes would be imported again for every token, and would fit any HMAC.
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify']);
  const plugin = jwt({ secret: key, alg: 'HS256', typ: `${type}+jwt`, iss: ISSUER, aud: type });
  // The guard reads tokens before there is a route's context, so the app does not `use` the plugin.
  return plugin.decorator.jwt;
}

/** The last character of a base64url text has bits that no byte takes: other texts would decode to the same signature. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

function tokenIn({ sub, jti, exp, typ, fam }: Claims, type: TokenType): Token | undefined {
  const sound = [sub, jti, fam].every((claim) => typeof claim === 'string' && claim !== '');
  if (!sound || typ !== type || !Number.isSafeInteger(exp)) return undefined;
  return { id: String(jti), username: String(sub), family: String(fam), expiresAt: Number(exp) * 1000 };
}
