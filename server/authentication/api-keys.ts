/** Checks API keys against the SHA-256 digests in the settings. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AuthenticationOptions } from './options.ts';

export interface ApiKeys {
  /** The key's name in the settings, or undefined for an unknown key. Compares all entries, so the time reveals nothing. */
  nameOf(key: string): string | undefined;
}

export function openApiKeys({ api_keys }: AuthenticationOptions): ApiKeys {
  const known = api_keys.map(({ name, sha256 }) => ({ name, digest: Buffer.from(sha256, 'hex') }));
  return {
    nameOf(key) {
      const digest = createHash('sha256').update(key).digest();
      return known.filter((entry) => timingSafeEqual(entry.digest, digest)).at(0)?.name;
    },
  };
}
