/** Names and passwords: of the settings' own user, and of more users by their argon2id hashes. */
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
  /** Whether exactly this password was verified before; takes no hashing. */
  recognises(username: string, password: string): boolean;
  /** A wrong password and an unknown name take the same time. Throws OVERLOADED where too many wait. */
  verify(attempt: Attempt): Promise<boolean>;
}

export function openPasswords(
  { username: own, password: secret, users }: AuthenticationOptions,
  log: Logger,
): Passwords {
  const hashes = new Map(users.map(({ username, password_hash }) => [username, password_hash]));
  // The own password is hashed too: compared as it stands it would be told from unknown names by its speed.
  const ownHash = hashed(secret ?? randomBytes(16).toString('hex'), users[0]?.password_hash);
  // One argon2id takes a tenth of a second, and Basic credentials come with every request.
  const remembered = new Map<string, Buffer>();
  const compare = createHashCheck();
  const key = randomBytes(32);
  const digest = (password: string) => createHmac('sha256', key).update(password).digest();
  const knows = (username: string) => username === own || hashes.has(username);
  const recognises = (username: string, password: string) => {
    const seen = digest(password);
    const before = remembered.get(username);
    return before !== undefined && timingSafeEqual(before, seen);
  };

  return {
    knows,
    recognises,
    async verify({ address, username, password }) {
      if (recognises(username, password)) return true;
      const hash = hashes.get(username) ?? (await ownHash);
      // An empty password is refused by the library before any work.
      const matches = await compare(address, password || EMPTY, hash).catch((err) => {
        if (err instanceof SkeinError) throw err;
        log.error({ err, user: username }, 'the password hash of a user cannot be read');
        return false;
      });
      if (!knows(username) || !matches || password === '') return false;
      remembered.set(username, digest(password));
      return true;
    },
  };
}

const EMPTY = '\0';

/** As slow to compare as the other hash, or users would be told from unknown names by their speed. */
async function hashed(password: string, other: string | undefined): Promise<string> {
  const [, memory, time] = /\$m=(\d+),t=(\d+),/.exec(other ?? '') ?? [];
  const [memoryCost, timeCost] = [Number(memory), Number(time)];
  // A hash of less cannot be read at all.
  if (!(memoryCost >= 8 && timeCost >= 1)) return Bun.password.hash(password);
  return Bun.password.hash(password, { algorithm: 'argon2id', memoryCost, timeCost });
}
