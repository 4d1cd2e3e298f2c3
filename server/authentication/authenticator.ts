/** Who is calling: from the credentials of a request to the caller, and from a login to its tokens. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { SkeinError } from '../../state/errors.ts';
import type { MinuteCounters } from '../../state/minute-counters.ts';
import type { SpentTokens } from '../../state/spent-tokens.ts';
import { unauthorized } from '../http/refusals.ts';
import { openApiKeys } from './api-keys.ts';
import { type IssuerTokens, issuerTokens } from './oidc/issuer-tokens.ts';
import type { AuthenticationOptions } from './options.ts';
import { openPasswordCheck, type PasswordCheck } from './password-check.ts';
import type { Attempt } from './passwords.ts';
import { presentedBy } from './presented.ts';
import { openSessions, type Sessions } from './sessions.ts';
import { openTokens, type Tokens } from './tokens.ts';

export interface Caller {
  /** Whose the things are that the caller makes. */
  owner: string;
  name: string;
  /** When the credentials end, milliseconds since 1970; null: not by themselves. */
  expiresAt: number | null;
}

export interface Authenticator {
  /** False: everybody is anonymous. */
  enabled: boolean;
  /** True: what is not exempt needs credentials. */
  protects: boolean;
  /** Undefined where no credentials are presented. Throws UNAUTHORIZED for wrong ones, RATE_LIMITED for too many. */
  identify(request: Request, address: string): Promise<Caller | undefined>;
  /** Throws INVALID_REQUEST where authentication is off. */
  sessions(): Sessions;
  /** Whether tokens of the configured issuer cannot be checked now. The first call fetches its keys. */
  failing(): boolean;
}

export interface AuthenticatorParts {
  options: AuthenticationOptions;
  spent: SpentTokens;
  /** Of failed logins. */
  counters: MinuteCounters;
  log: Logger;
}

export function createAuthenticator({ options, spent, counters, log }: AuthenticatorParts): Authenticator {
  if (!options.enable) return OFF;
  const tokens = openTokens({
    // Without users nobody logs in.
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
      const presented = presentedBy(request.headers);
      switch (presented.kind) {
        case 'none':
          return undefined;
        case 'malformed':
          throw unauthorized();
        case 'basic':
          return await byPassword(passwords, { address, ...presented });
        case 'key':
          return byKey(presented.key) ?? refuse();
        case 'bearer':
          return byKey(presented.token) ?? (await byToken(presented.token));
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
  return userNamed(attempt.username, null);
}

/** A user who is no longer in the settings has no valid token. */
async function byOwnToken(
  tokens: Tokens,
  passwords: PasswordCheck,
  token: string,
): Promise<Caller | undefined> {
  const read = await tokens.read('access', token);
  return read && passwords.knows(read.username) ? userNamed(read.username, read.expiresAt) : undefined;
}

async function byIssuer(issuer: IssuerTokens, token: string): Promise<Caller | undefined> {
  const read = await issuer.read(token);
  return read && { owner: `oidc:${read.name}`, ...read };
}

function userNamed(name: string, expiresAt: number | null): Caller {
  return { owner: `user:${name}`, name, expiresAt };
}

function refuse(): never {
  throw unauthorized();
}
