/** The bounds of a statement, whatever the database. */

export interface SqlLimits {
  /** Rows of a result at most. */
  maxRows: number;
  /** Seconds that a statement may take. */
  querySeconds: number;
}
