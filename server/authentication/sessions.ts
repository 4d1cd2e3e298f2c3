/** Logins: a pair of tokens for a password, and new tokens for a refresh token. */
import type { Logger } from 'pino';
import type { SpentTokens } from '../../state/spent-tokens.ts';
import { unauthorized } from '../http/refusals.ts';
import type { PasswordCheck } from './password-check.ts';
import type { Attempt } from './passwords.ts';
import type { Token, Tokens } from './tokens.ts';

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  /** Of the access token. */
  expiresIn: number;
}

export interface Sessions {
  login(attempt: Attempt): Promise<TokenPair>;
  refresh(refreshToken: string, address: string): Promise<TokenPair>;
}

export interface SessionParts {
  passwords: PasswordCheck;
  tokens: Tokens;
  spent: SpentTokens;
  /** Each refresh gives a new refresh token and spends the old one. */
  rotates: boolean;
  log: Logger;
}

// An answer that got lost is asked for again.
const GRACE_MS = 30_000;

export function openSessions({ passwords, tokens, spent, rotates, log }: SessionParts): Sessions {
  async function pair(username: string, family: string, kept?: string): Promise<TokenPair> {
    return {
      accessToken: await tokens.issue('access', username, family),
      refreshToken: kept ?? (await tokens.issue('refresh', username, family)),
      expiresIn: tokens.lifetimeSeconds('access'),
    };
  }

  /** Throws UNAUTHORIZED where the token, or its family, was used up. */
  async function spend({ id, family, username }: Token, address: string): Promise<void> {
    const now = Date.now();
    const keepUntil = now + tokens.lifetimeSeconds('refresh') * 1000;
    const outcome = await spent.spend({ id, family, now, graceMs: GRACE_MS, keepUntil });
    if (outcome === 'fresh' || outcome === 'repeated') return;
    log.warn({ audit: 'refresh_reuse', user: username, address, outcome }, 'a spent refresh token was used');
    throw unauthorized('invalid_token');
  }

  return {
    async login(attempt) {
      await passwords.check(attempt);
      log.info({ audit: 'login', user: attempt.username, address: attempt.address }, 'login');
      return pair(attempt.username, Bun.randomUUIDv7());
    },
    async refresh(refreshToken, address) {
      const token = await tokens.read('refresh', refreshToken);
      if (!token || !passwords.knows(token.username)) throw unauthorized('invalid_token');
      if (!rotates) return pair(token.username, token.family, refreshToken);
      await spend(token, address);
      return pair(token.username, token.family);
    },
  };
}
