/** Which refresh tokens were used up, and which families of them are revoked: remembered until they would expire. */

export interface SpentTokens {
  /**
   * Spends a token of a family. `fresh` at its first use; `repeated` within the grace after it, as for an answer that got
   * lost; else `reused`, which revokes the family. `revoked` when its family is.
   */
  spend(use: TokenUse): Promise<'fresh' | 'repeated' | 'reused' | 'revoked'>;
}

export interface TokenUse {
  id: string;
  family: string;
  /** Milliseconds, as all times here. */
  now: number;
  graceMs: number;
  /** Until when the family's newest token could be used. */
  keepUntil: number;
}
