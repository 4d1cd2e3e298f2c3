/** Limits failed logins per address and username, and per address over all usernames. */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { MinuteCounters } from '../../state/callers/minute-counters.ts';
import { limitReached } from '../http/rate-limit.ts';

export interface AttemptLimits {
  /**
   * Counts an attempt as failed until its outcome is known, so that parallel attempts count too. `recognised` tells whether the
   * password equals the last verified one; such attempts aren't counted. Throws RATE_LIMITED at the username's limit, whatever
   * the password. Also throws it at the address's limit, unless the password is recognised and this username has logged in from
   * this address before.
   */
  begin(address: string, username: string, recognised: () => boolean): Promise<CountedAttempt>;
}

interface CountedAttempt {
  /** Resets the username's count, and no longer counts the attempt for the address. */
  succeeded(): Promise<void>;
  /** No longer counts the attempt, because the password was not compared. */
  withdrawn(): Promise<void>;
}

/** The address's limit is this many times the username's: an office or a proxy has many users behind one address. */
const NAMES_PER_ADDRESS = 10;
const MAX_TRUSTED = 10_000;

/** `failuresPerMinute` is the limit per username and address. */
export function limitAttempts(counters: MinuteCounters, failuresPerMinute: number): AttemptLimits {
  /** Pairs that have logged in. Failures of other usernames from the same address don't lock them out. */
  const trusted = new Set<string>();

  function trust(pair: string): void {
    trusted.delete(pair);
    trusted.add(pair);
    const [oldest] = trusted;
    if (trusted.size > MAX_TRUSTED && oldest !== undefined) trusted.delete(oldest);
  }

  return {
    async begin(address, username, recognised) {
      const pair = pairOf(address, username);
      const [byName, byAddress] = [`failed name ${pair}`, `failed address ${networkOf(address)}`];
      const nameLimit = { key: byName, most: failuresPerMinute };
      const addressLimit = { key: byAddress, most: failuresPerMinute * NAMES_PER_ADDRESS };
      const isRecognised = recognised();
      // The limit of 1 is reached if the name has a failure, which must then be reset.
      const full = isRecognised
        ? await counters.look([nameLimit, addressLimit, { key: byName, most: 1 }])
        : await counters.take([nameLimit, addressLimit]);
      if (full?.key === byName && full.most === failuresPerMinute)
        throw limitReached(full, 'too many failed logins');
      // Only the right password gets past this limit: different responses to wrong ones would reveal which usernames exist.
      if (full?.key === byAddress && !(isRecognised && trusted.has(pair)))
        throw limitReached(full, 'too many failed logins from this address');
      const back = isRecognised ? [] : [byAddress];
      const hasFailed = !isRecognised || full?.key === byName;
      return {
        async succeeded() {
          trust(pair);
          if (hasFailed) await counters.undo({ back, reset: [byName] });
        },
        async withdrawn() {
          if (!isRecognised) await counters.undo({ back: [byName, ...back] });
        },
      };
    },
  };
}

/** A digest, because unauthenticated callers choose the length of the username. */
function pairOf(address: string, username: string): string {
  return createHash('sha256')
    .update(JSON.stringify([address, username]))
    .digest('base64');
}

/** The /64 network of an IPv6 address, because a client can use all of its addresses. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(8 - left.length - right.length, 0)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}
