/** The limits of a statement, for every database. */

/** Maximum bytes of a file with rows. */
export const MAX_FILE = 256 * 1024 * 1024;

export interface SqlLimits {
  /** Maximum rows of a result. */
  maxRows: number;
  /** Timeout of a statement, in seconds. */
  querySeconds: number;
}
