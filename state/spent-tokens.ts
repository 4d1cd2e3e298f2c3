/** Spent refresh tokens and revoked token families, remembered until they would expire. */

export interface SpentTokens {
  /**
   * Spends a token of a family. `fresh` at its first use; `repeated` within the grace after it, as for an answer that got
   * lost; else `reused`, which revokes the family. `revoked` when its family is.
   */
  spend(use: TokenUse): Promise<'fresh' | 'repeated' | 'reused' | 'revoked'>;
}

interface TokenUse {
  id: string;
  family: string;
  /** Milliseconds, as all times here. */
  now: number;
  graceMs: number;
  /** The latest time at which a token of the family is valid. */
  keepUntil: number;
}
