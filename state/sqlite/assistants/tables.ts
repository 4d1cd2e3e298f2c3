/** The tables of assistants and their versions. `assistants.version` is the current version. */

export const ASSISTANT_TABLES = `
  CREATE TABLE assistants (
    key INTEGER PRIMARY KEY,
    owner TEXT NOT NULL, assistant_id TEXT NOT NULL, version INTEGER NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    UNIQUE (owner, assistant_id)
  );
  CREATE TABLE assistant_versions (
    assistant INTEGER NOT NULL REFERENCES assistants (key) ON DELETE CASCADE, version INTEGER NOT NULL,
    graph TEXT NOT NULL, name TEXT NOT NULL, folded_name TEXT NOT NULL, description TEXT,
    config TEXT NOT NULL, context TEXT NOT NULL, metadata TEXT NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (assistant, version)
  );
  `;
