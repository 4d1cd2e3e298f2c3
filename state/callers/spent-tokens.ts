/** Spent refresh tokens and revoked token families, kept until the tokens expire. */

export interface SpentTokens {
  /**
   * Spends a token of a family. Returns `fresh` for its first use; `repeated` for another use within the grace period, because
   * a response may have been lost; otherwise `reused`, which revokes the family. `revoked`: the family is revoked.
   */
  spend(use: TokenUse): Promise<'fresh' | 'repeated' | 'reused' | 'revoked'>;
}

interface TokenUse {
  id: string;
  family: string;
  /** Milliseconds since 1970, like `keepUntil`. */
  now: number;
  graceMs: number;
  /** The latest time at which a token of the family is valid. */
  keepUntil: number;
}
