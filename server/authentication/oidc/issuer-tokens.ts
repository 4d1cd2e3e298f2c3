/** Verifies the access tokens of an OpenID Connect issuer, by RFC 9068 if the issuer follows it. */
import type { JWTPayload } from 'jose';
import type { Logger } from 'pino';
import { SkeinError } from '../../../state/errors.ts';
import type { OidcOptions } from '../options.ts';
import { type IssuerKeysParts, issuerKeys } from './issuer-keys.ts';

export interface IssuerTokens {
  /**
   * Returns undefined for a token of another issuer or for another audience, and for one that is invalid or expired. Throws
   * ISSUER_UNAVAILABLE.
   */
  read(token: string): Promise<IssuedToken | undefined>;
  /** Whether the issuer's keys could not be fetched. */
  failing(): boolean;
}

interface IssuedToken {
  /** The value of the owner claim. */
  name: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export interface IssuerTokensParts extends Pick<IssuerKeysParts, 'times' | 'fetch' | 'now'> {
  options: OidcOptions;
  log: Logger;
}

// Only asymmetric algorithms: with a symmetric one, the public key could sign tokens.
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
// Allows for clocks that differ. It only applies to `nbf`: `tokenIn` rejects expired tokens without tolerance.
const TOLERANCE_SECONDS = 5;
const MAX_NAME_LENGTH = 255;

export function issuerTokens({ options, ...parts }: IssuerTokensParts): IssuerTokens {
  const { issuer, audience, owner_claim } = options;
  const keys = issuerKeys({ issuer, ...parts });
  return {
    failing: keys.failing,
    async read(token) {
      // Check the issuer before the signature, so that tokens of other issuers cause no fetch.
      if (issuerIn(token) !== issuer) return undefined;
      try {
        const { jwtVerify } = await import('jose');
        const { payload, protectedHeader } = await jwtVerify(token, keys.keyOf, {
          ...{ algorithms: ALGORITHMS, issuer, audience, requiredClaims: ['exp'] },
          clockTolerance: TOLERANCE_SECONDS,
        });
        return isAccessToken(payload, protectedHeader.typ) ? tokenIn(payload, owner_claim) : undefined;
      } catch (error) {
        if (error instanceof SkeinError) throw error;
        return undefined;
      }
    },
  };
}

/** The issuer in the token's claims, which are not verified yet. */
function issuerIn(token: string): unknown {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return (payload as JWTPayload | null)?.iss;
  } catch {
    return undefined;
  }
}

const TYPES = new Set(['at+jwt', 'application/at+jwt', 'jwt']);
const ID_CLAIMS = ['nonce', 'at_hash', 'c_hash', 'events'];

/**
 * Rejects ID and logout tokens, which an issuer signs with the same keys for a client that may have the same audience. Many
 * issuers don't set the `typ` header of RFC 9068, so the claims decide; the claim `typ` is Keycloak's, `token_use` is Cognito's.
 * Also rejects tokens that are bound to a key (`cnf`), because the service can't check the proof of possession.
 */
function isAccessToken(claims: JWTPayload, type: string | undefined): boolean {
  if (type !== undefined && !TYPES.has(type.toLowerCase())) return false;
  if (claims.cnf !== undefined || claims.typ === 'ID' || claims.token_use === 'id') return false;
  return ID_CLAIMS.every((claim) => claims[claim] === undefined);
}

function tokenIn(claims: JWTPayload, ownerClaim: string): IssuedToken | undefined {
  const name = Object.hasOwn(claims, ownerClaim) ? claims[ownerClaim] : undefined;
  const expiresAt = Math.floor(Number(claims.exp) * 1000);
  if (typeof name !== 'string' || !isName(name) || expiresAt <= Date.now()) return undefined;
  return { name, expiresAt };
}

const CONTROL = /\p{Cc}/u;

/** The name becomes part of the `owner` of everything that the caller creates. */
function isName(name: string): boolean {
  return name.trim() !== '' && name.length <= MAX_NAME_LENGTH && name.isWellFormed() && !CONTROL.test(name);
}
