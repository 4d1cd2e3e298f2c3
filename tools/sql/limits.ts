/** The bounds of a statement, whatever the database. */

/** Bytes of a file with rows. */
export const MAX_FILE = 256 * 1024 * 1024;

export interface SqlLimits {
  /** Rows of a result at most. */
  maxRows: number;
  /** Seconds that a statement may take. */
  querySeconds: number;
}
