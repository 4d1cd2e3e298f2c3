/** Authenticates requests by their credentials, and creates the sessions of logins. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { MinuteCounters } from '../../state/callers/minute-counters.ts';
import type { SpentTokens } from '../../state/callers/spent-tokens.ts';
import { SkeinError } from '../../state/errors.ts';
import { unauthorized } from '../http/errors/error-with-headers.ts';
import { openApiKeys } from './api-keys.ts';
import { credentialsOf } from './credentials.ts';
import { type IssuerTokens, issuerTokens } from './oidc/issuer-tokens.ts';
import type { AuthenticationOptions } from './options.ts';
import { openPasswordCheck, type PasswordCheck } from './password-check.ts';
import type { Attempt } from './passwords.ts';
import { openSessions, type Sessions } from './sessions.ts';
import { openTokens, type Tokens } from './tokens.ts';

export interface Caller {
  /** The owner of everything that the caller creates: see `ownerOf` in `identity.ts`. */
  owner: string;
  name: string;
  /** Expiry of the credentials in milliseconds since 1970. Null if they don't expire. */
  expiresAt: number | null;
}

export interface Authenticator {
  /** If false, all callers are anonymous. */
  enabled: boolean;
  /** If true, all routes that are not exempt require credentials. */
  protects: boolean;
  /**
   * Returns undefined for a request without credentials. Throws UNAUTHORIZED for invalid ones, RATE_LIMITED after too many failed
   * logins, and ISSUER_UNAVAILABLE if the issuer's keys can't be fetched.
   */
  identify(request: Request, address: string): Promise<Caller | undefined>;
  /** Throws INVALID_REQUEST if authentication is off. */
  sessions(): Sessions;
  /** Whether tokens of the configured issuer can't be checked now. The first call fetches its keys. */
  failing(): boolean;
}

export interface AuthenticatorParts {
  options: AuthenticationOptions;
  spent: SpentTokens;
  /** Counts failed logins. */
  counters: MinuteCounters;
  log: Logger;
}

/** With `options.enable` off, all callers are anonymous. */
export function createAuthenticator({ options, spent, counters, log }: AuthenticatorParts): Authenticator {
  if (!options.enable) return OFF;
  const tokens = openTokens({
    // A random secret is enough without users, since no login can then create a token.
    secret: options.jwt_secret_key ?? randomBytes(32).toString('hex'),
    accessMinutes: options.jwt_access_token_expire_minutes,
    refreshDays: options.jwt_refresh_token_expire_days,
  });
  const passwords = openPasswordCheck(options, counters, log);
  const keys = openApiKeys(options);
  const issuer = options.oidc && issuerTokens({ options: options.oidc, log });
  const sessions = openSessions({ passwords, tokens, spent, log, rotates: options.rotate_refresh_tokens });
  return {
    enabled: true,
    protects: options.enable_global_middleware,
    sessions: () => sessions,
    failing: () => issuer?.failing() ?? false,
    async identify(request, address) {
      const credentials = credentialsOf(request.headers);
      switch (credentials.kind) {
        case 'none':
          return undefined;
        case 'malformed':
          throw unauthorized();
        case 'basic':
          return await byPassword(passwords, { address, ...credentials });
        case 'key':
          return byKey(credentials.key) ?? reject();
        case 'bearer':
          return byKey(credentials.token) ?? (await byToken(credentials.token));
      }
    },
  };

  function byKey(key: string): Caller | undefined {
    const name = keys.nameOf(key);
    return name === undefined ? undefined : { owner: `key:${name}`, name, expiresAt: null };
  }

  async function byToken(token: string): Promise<Caller> {
    const caller =
      (await byOwnToken(tokens, passwords, token)) ?? (issuer && (await byIssuer(issuer, token)));
    if (!caller) throw unauthorized('invalid_token');
    return caller;
  }
}

const OFF: Authenticator = {
  enabled: false,
  protects: false,
  identify: async () => undefined,
  failing: () => false,
  sessions() {
    throw new SkeinError('INVALID_REQUEST', { message: 'Authentication is disabled' });
  },
};

async function byPassword(passwords: PasswordCheck, attempt: Attempt): Promise<Caller> {
  await passwords.check(attempt);
  return userCaller(attempt.username, null);
}

/** Returns undefined for a user who has been removed from the settings. */
async function byOwnToken(
  tokens: Tokens,
  passwords: PasswordCheck,
  token: string,
): Promise<Caller | undefined> {
  const read = await tokens.read('access', token);
  return read && passwords.knows(read.username) ? userCaller(read.username, read.expiresAt) : undefined;
}

async function byIssuer(issuer: IssuerTokens, token: string): Promise<Caller | undefined> {
  const read = await issuer.read(token);
  return read && { owner: `oidc:${read.name}`, ...read };
}

function userCaller(name: string, expiresAt: number | null): Caller {
  return { owner: `user:${name}`, name, expiresAt };
}

function reject(): never {
  throw unauthorized();
}
