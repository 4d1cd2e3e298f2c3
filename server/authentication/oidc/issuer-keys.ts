/** The keys of an issuer: fetched when they are needed, cached, and fetched again when the issuer rotates them. */
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import type { Logger } from 'pino';
import { SkeinError } from '../../../state/errors.ts';
import { type Fetch, readKeys } from './issuer-documents.ts';

export interface IssuerKeys {
  /** Finds the key that a token names. Throws ISSUER_UNAVAILABLE while it cannot be known. */
  keyOf: JWTVerifyGetKey;
  /** Whether the newest fetch failed. Fetches again in the background when it is time. */
  failing(): boolean;
}

export interface IssuerKeysParts {
  issuer: string;
  log: Logger;
  times?: KeyTimes;
  fetch?: Fetch;
  /** Milliseconds since any time. */
  now?: () => number;
}

interface KeyTimes {
  /** Between the starts of two fetches, whatever tokens name: unknown keys must not make a flood of them. */
  betweenMs: number;
  /** Of both documents. */
  fetchMs: number;
  /** After which keys are fetched again in the background. */
  freshMs: number;
  /** After which keys that could not be fetched again are no longer used. */
  keptMs: number;
}

const MINUTE_MS = 60_000;
const TIMES: KeyTimes = { betweenMs: 5_000, fetchMs: 5_000, freshMs: 10 * MINUTE_MS, keptMs: 60 * MINUTE_MS };

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

  /** Joins the fetch that is under way; otherwise begins one unless the last began a moment ago. Never rejects. */
  async function fetchAgain(): Promise<void> {
    if (!fetching && now() - beganAt >= times.betweenMs) {
      // The first, at the start, does not count: the issuer may change its keys right after it.
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
      keys = { find: createLocalJWKSet(found), at: now() };
      if (failed) log.info({ issuer }, 'the keys of the issuer can be fetched again');
      failed = false;
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown reason';
      if (!failed) log.warn({ issuer, reason }, 'the keys of the issuer cannot be fetched');
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
        if (age() > times.keptMs) await refreshed;
      }
      if (!keys || age() > times.keptMs) throw unavailable();
      const known = keys;
      try {
        return await known.find(header, token);
      } catch (error) {
        await fetchAgain();
        if (keys !== known) return await keys.find(header, token);
        // The issuer may have a new key that cannot be fetched now.
        throw failed ? unavailable() : error;
      }
    },
    failing() {
      if (failed || age() > times.freshMs) void fetchAgain();
      return failed;
    },
  };
}
