/** Access tokens of an OpenID Connect issuer, checked by its keys (RFC 9068 where the issuer follows it). */
import { type JWTPayload, jwtVerify } from 'jose';
import type { Logger } from 'pino';
import { SkeinError } from '../../../state/errors.ts';
import type { OidcOptions } from '../options.ts';
import { type IssuerKeysParts, issuerKeys } from './issuer-keys.ts';

export interface IssuerTokens {
  /** Undefined for a token that is not the issuer's, not for this service or not in force. Throws ISSUER_UNAVAILABLE. */
  read(token: string): Promise<IssuedToken | undefined>;
  /** Whether the issuer's keys could not be fetched. */
  failing(): boolean;
}

interface IssuedToken {
  /** What the owner claim says. */
  name: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export interface IssuerTokensParts extends Pick<IssuerKeysParts, 'times' | 'fetch' | 'now'> {
  options: OidcOptions;
  log: Logger;
}

// Asymmetric ones alone: anybody with the public key could sign with a symmetric one.
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
// Of `nbf`, for clocks that differ. An expired token gets none.
const TOLERANCE_SECONDS = 5;
const MAX_NAME_LENGTH = 255;

export function issuerTokens({ options, ...parts }: IssuerTokensParts): IssuerTokens {
  const { issuer, audience, owner_claim } = options;
  const keys = issuerKeys({ issuer, ...parts });
  return {
    failing: keys.failing,
    async read(token) {
      // Tokens of others cause no fetch.
      if (issuerIn(token) !== issuer) return undefined;
      try {
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

/** As the token says, which nobody has checked yet. */
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
 * An issuer signs more than access tokens: ID and logout tokens, for the client whose name is the audience. Many issuers don't
 * write the type of RFC 9068, so those are told by their claims; `typ` is Keycloak's, `token_use` Cognito's. A token that is
 * bound to a key (`cnf`) must not be accepted without a proof of it.
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

/** It becomes part of the owner of everything that the caller makes. */
function isName(name: string): boolean {
  return name.trim() !== '' && name.length <= MAX_NAME_LENGTH && name.isWellFormed() && !CONTROL.test(name);
}
