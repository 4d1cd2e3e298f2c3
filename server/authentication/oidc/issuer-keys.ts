/** Fetches and caches the keys of an issuer, and fetches them again when the issuer rotates them. */
import type { JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { SkeinError } from '../../../state/errors.ts';
import { type Fetch, readKeys } from './issuer-documents.ts';

export interface IssuerKeys {
  /** Returns the key that a token names. Throws ISSUER_UNAVAILABLE if the keys can't be fetched. */
  keyOf: JWTVerifyGetKey;
  /** Whether the last fetch failed. Starts a fetch in the background if one is due. */
  failing(): boolean;
}

export interface IssuerKeysParts {
  issuer: string;
  log: Logger;
  times?: KeyTimes;
  fetch?: Fetch;
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
}

interface KeyTimes {
  /** The minimum time between the starts of two fetches, so that tokens with unknown keys can't cause a flood of fetches. */
  betweenMs: number;
  /** The timeout of a fetch of both documents. */
  fetchMs: number;
  /** Older keys are fetched again in the background. */
  freshMs: number;
  /** Older keys are no longer used. */
  maxAgeMs: number;
}

const MINUTE_MS = 60_000;
const TIMES: KeyTimes = {
  betweenMs: 5_000,
  fetchMs: 5_000,
  freshMs: 10 * MINUTE_MS,
  maxAgeMs: 60 * MINUTE_MS,
};

interface Fetched {
  find: JWTVerifyGetKey;
  at: number;
}

export function issuerKeys(parts: IssuerKeysParts): IssuerKeys {
  const { issuer, log, times = TIMES, fetch = globalThis.fetch, now = () => performance.now() } = parts;
  let keys: Fetched | undefined;
  let fetching: Promise<void> | undefined;
  let beganAt = Number.NEGATIVE_INFINITY;
  let isFirst = true;
  let failed = false;

  /** Waits for the running fetch, or starts one if `betweenMs` is over. Never rejects. */
  async function fetchAgain(): Promise<void> {
    if (!fetching && now() - beganAt >= times.betweenMs) {
      // The first fetch doesn't delay the second, because the issuer may rotate its keys right after it.
      beganAt = isFirst ? beganAt : now();
      isFirst = false;
      fetching = fetchKeys().finally(() => {
        fetching = undefined;
      });
    }
    await fetching;
  }

  async function fetchKeys(): Promise<void> {
    try {
      const found = await readKeys(issuer, AbortSignal.timeout(times.fetchMs), fetch);
      const { createLocalJWKSet } = await import('jose');
      keys = { find: createLocalJWKSet(found), at: now() };
      if (failed) log.info({ issuer }, "fetching the issuer's keys works again");
      failed = false;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown reason';
      if (!failed) log.warn({ issuer, reason }, "fetching the issuer's keys failed");
      failed = true;
    }
  }

  function age(): number {
    return keys ? now() - keys.at : Number.POSITIVE_INFINITY;
  }

  function unavailable(): SkeinError {
    return new SkeinError('ISSUER_UNAVAILABLE', { retryAfter: Math.ceil(times.betweenMs / 1000) });
  }

  return {
    async keyOf(header, token) {
      if (age() > times.freshMs) {
        const refreshed = fetchAgain();
        if (age() > times.maxAgeMs) await refreshed;
      }
      if (!keys || age() > times.maxAgeMs) throw unavailable();
      const known = keys;
      try {
        return await known.find(header, token);
      } catch (error) {
        await fetchAgain();
        if (keys !== known) return await keys.find(header, token);
        // If the fetch failed, the token may be signed with a new key, so it can't be called invalid.
        throw failed ? unavailable() : error;
      }
    },
    failing() {
      if (failed || age() > times.freshMs) void fetchAgain();
      return failed;
    },
  };
}
