/** Verifies passwords: of the user with a plain password in the settings, and of the users with argon2id hashes. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import { SkeinError } from '../../state/errors.ts';
import { createHashCheck } from './hash-check.ts';
import type { AuthenticationOptions } from './options.ts';

export interface Attempt {
  address: string;
  username: string;
  password: string;
}

export interface Passwords {
  knows(username: string): boolean;
  /** Whether this is the user's last verified password. Compares digests, which is fast. */
  recognises(username: string, password: string): boolean;
  /** A wrong password and an unknown username take the same time. Throws OVERLOADED if too many comparisons are waiting. */
  verify(attempt: Attempt): Promise<boolean>;
}

export function openPasswords(
  { username: own, password: secret, users }: AuthenticationOptions,
  log: Logger,
): Passwords {
  const hashes = new Map(users.map(({ username, password_hash }) => [username, password_hash]));
  // The plain password is hashed too. A faster comparison would reveal that the username exists.
  const ownHash = hashed(secret ?? randomBytes(16).toString('hex'), users[0]?.password_hash);
  // Digests of verified passwords: argon2id takes a tenth of a second, and HTTP Basic sends the password with each request.
  const remembered = new Map<string, Buffer>();
  const compare = createHashCheck();
  const key = randomBytes(32);
  const digest = (password: string) => createHmac('sha256', key).update(password).digest();
  const knows = (username: string) => username === own || hashes.has(username);
  const recognises = (username: string, password: string) => {
    const verified = remembered.get(username);
    const given = digest(password);
    return verified !== undefined && timingSafeEqual(verified, given);
  };

  return {
    knows,
    recognises,
    async verify({ address, username, password }) {
      if (recognises(username, password)) return true;
      const hash = hashes.get(username) ?? (await ownHash);
      // Bun rejects an empty password without hashing, which would be measurable.
      const matches = await compare(address, password || EMPTY, hash).catch((err) => {
        if (err instanceof SkeinError) throw err;
        log.error({ err, user: username }, 'the password hash of a user is invalid');
        return false;
      });
      if (!knows(username) || !matches || password === '') return false;
      remembered.set(username, digest(password));
      return true;
    },
  };
}

const EMPTY = '\0';

/** Hashes with the cost of `other`: different costs would make it measurable which usernames exist. */
async function hashed(password: string, other: string | undefined): Promise<string> {
  const [, memory, time] = /\$m=(\d+),t=(\d+),/.exec(other ?? '') ?? [];
  const [memoryCost, timeCost] = [Number(memory), Number(time)];
  // argon2id's minimum: hashes below it are invalid, so their cost doesn't matter.
  if (!(memoryCost >= 8 && timeCost >= 1)) return Bun.password.hash(password);
  return Bun.password.hash(password, { algorithm: 'argon2id', memoryCost, timeCost });
}
