/** The table of usage. `slot` is always 0 here; on PostgreSQL, several rows share the counting for a key. */
export const USAGE_TABLES = `
  CREATE TABLE usage (
    owner TEXT NOT NULL, day TEXT NOT NULL, workflow TEXT NOT NULL, model TEXT NOT NULL, slot INTEGER NOT NULL DEFAULT 0,
    runs INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cost REAL NOT NULL,
    PRIMARY KEY (owner, day, workflow, model, slot)
  ) WITHOUT ROWID;
`;
