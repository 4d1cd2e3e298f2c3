/** Limits on failed logins: of one name from one address, and of one address over all names. */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { MinuteCounters } from '../../state/minute-counters.ts';
import { tooMany } from '../http/minute-windows.ts';

export interface AttemptLimits {
  /**
   * Counts an attempt as failed until its outcome is known, so that parallel attempts count too. Throws RATE_LIMITED
   * at the name's limit whatever the password, and at the address's unless the pair logged in before and `recognised` returns
   * true: the password is the one that was verified then, and nothing is counted.
   */
  begin(address: string, username: string, recognised: () => boolean): Promise<CountedAttempt>;
}

interface CountedAttempt {
  /** Resets the name's count, and gives the attempt back to the address. */
  succeeded(): Promise<void>;
  /** Gives the attempt back: the password was not compared. */
  withdrawn(): Promise<void>;
}

/** An office or a proxy has many users behind one address. */
const NAMES_PER_ADDRESS = 10;
const MAX_TRUSTED = 10_000;

export function limitAttempts(counters: MinuteCounters, failuresPerMinute: number): AttemptLimits {
  /** Pairs that logged in before: other people's failures from the same address do not lock them out. */
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
      const ofName = { key: byName, most: failuresPerMinute };
      const ofAddress = { key: byAddress, most: failuresPerMinute * NAMES_PER_ADDRESS };
      const isRecognised = recognised();
      const full = isRecognised
        ? await counters.look([ofName, ofAddress, { key: byName, most: 1 }])
        : await counters.take([ofName, ofAddress]);
      if (full?.key === byName && full.most === failuresPerMinute)
        throw tooMany(full, 'too many failed logins');
      // For the right password only: another answer to wrong ones would reveal which names exist.
      if (full?.key === byAddress && !(isRecognised && trusted.has(pair)))
        throw tooMany(full, 'too many failed logins from this address');
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

/** A digest, because an unauthenticated caller chooses the length of the name. */
function pairOf(address: string, username: string): string {
  return createHash('sha256')
    .update(JSON.stringify([address, username]))
    .digest('base64');
}

/** An IPv6 client can use any address of its /64. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(8 - left.length - right.length, 0)).fill('0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}
