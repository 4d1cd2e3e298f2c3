/** Limits on failed logins: of one name from one address, and of one address over all names. */
import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { countByMinute } from '../http/minute-windows.ts';

export interface AttemptLimits {
  /**
   * Counts an attempt as failed until its outcome is known, so that parallel attempts count too. Throws RATE_LIMITED
   * at the name's limit whatever the password, and at the address's unless the pair logged in before and `recognised` returns
   * true: the password is the one that was verified then.
   */
  begin(address: string, username: string, recognised: () => boolean): CountedAttempt;
}

export interface CountedAttempt {
  /** Resets the name's count, and gives the attempt back to the address. */
  succeeded(): void;
  /** Gives the attempt back: the password was not compared. */
  withdrawn(): void;
}

/** An office or a proxy has many users behind one address. */
const NAMES_PER_ADDRESS = 10;
const MAX_TRUSTED = 10_000;

export function limitAttempts(failuresPerMinute: number): AttemptLimits {
  const pairs = countByMinute(failuresPerMinute);
  const addresses = countByMinute(failuresPerMinute * NAMES_PER_ADDRESS);
  /** Pairs that logged in before: other people's failures from the same address do not lock them out. */
  const trusted = new Set<string>();

  function charge(pair: string, address: string, recognised: () => boolean): boolean {
    try {
      addresses.take(address, 'too many failed logins from this address');
      return true;
    } catch (error) {
      // For the right password only: another answer to wrong ones would reveal which names exist.
      if (trusted.has(pair) && recognised()) return false;
      pairs.giveBack(pair);
      throw error;
    }
  }

  return {
    begin(address, username, recognised) {
      const pair = pairOf(address, username);
      const network = networkOf(address);
      pairs.take(pair, 'too many failed logins');
      const charged = charge(pair, network, recognised);
      const refund = () => {
        if (charged) addresses.giveBack(network);
      };
      return {
        succeeded() {
          refund();
          pairs.forget(pair);
          trusted.delete(pair);
          trusted.add(pair);
          const [oldest] = trusted;
          if (trusted.size > MAX_TRUSTED && oldest !== undefined) trusted.delete(oldest);
        },
        withdrawn() {
          refund();
          pairs.giveBack(pair);
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
