/** The limits of a statement, for every database. */

/** The maximum number of characters of a statement. */
export const MAX_SQL = 20_000;

/** The maximum size of a file with rows, in bytes. */
export const MAX_FILE = 256 * 1024 * 1024;

export interface SqlLimits {
  /** The maximum number of rows of a result. */
  maxRows: number;
  /** The timeout of a statement, in seconds. */
  querySeconds: number;
}
