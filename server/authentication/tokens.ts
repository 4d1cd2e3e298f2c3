/** Access and refresh tokens: HS256 JWTs that never stand in for each other. */
import { hkdfSync } from 'node:crypto';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';

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
  /** Milliseconds since 1970. */
  now?: () => number;
}

const ISSUER = 'skein';
const REQUIRED = ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'typ', 'fam'];
// Three parts of base64url.
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_LENGTH = 4_096;

/** Each type has its own key, derived from the secret, its own audience and its own `typ`, in header and claims. */
export function openTokens({ secret, accessMinutes, refreshDays, now = Date.now }: TokenOptions): Tokens {
  const seconds = { access: accessMinutes * 60, refresh: refreshDays * 86_400 };
  const keys = { access: derived(secret, 'access'), refresh: derived(secret, 'refresh') };
  return {
    lifetimeSeconds: (type) => seconds[type],
    async issue(type, username, family) {
      const at = Math.floor(now() / 1000);
      return await new SignJWT({ typ: type, fam: family })
        .setProtectedHeader({ alg: 'HS256', typ: `${type}+jwt` })
        .setIssuer(ISSUER)
        .setAudience(type)
        .setSubject(username)
        .setJti(Bun.randomUUIDv7())
        .setIssuedAt(at)
        .setExpirationTime(at + seconds[type])
        .sign(await keys[type]);
    },
    async read(type, token) {
      if (token.length > MAX_LENGTH || !COMPACT.test(token) || !isCanonical(token)) return undefined;
      const verified = await jwtVerify(token, await keys[type], {
        algorithms: ['HS256'],
        typ: `${type}+jwt`,
        issuer: ISSUER,
        audience: type,
        requiredClaims: REQUIRED,
        maxTokenAge: seconds[type],
        currentDate: new Date(now()),
      }).catch(() => undefined);
      return verified && tokenIn(verified.payload, type);
    },
  };
}

function derived(secret: string, type: TokenType): Promise<CryptoKey> {
  const bytes = hkdfSync('sha256', secret, 'skein', `${type} token`, 32);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

/** The last character of a base64url text has bits that no byte takes: other texts would decode to the same signature. */
function isCanonical(token: string): boolean {
  return token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}

function tokenIn({ sub, jti, exp, typ, fam }: JWTPayload, type: TokenType): Token | undefined {
  const sound = [sub, jti, fam].every((claim) => typeof claim === 'string' && claim !== '');
  if (!sound || typ !== type || !Number.isSafeInteger(exp)) return undefined;
  return { id: String(jti), username: String(sub), family: String(fam), expiresAt: Number(exp) * 1000 };
}
