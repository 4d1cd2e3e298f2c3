/** The texts of runs and the words by which they are found; a run's go with it. */
export const SEARCH_TABLES = `
  ALTER TABLE runs ADD COLUMN searchable INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX runs_unsearchable ON runs (finished_at) WHERE searchable = 0 AND finished_at IS NOT NULL;
  CREATE TABLE search_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    kind TEXT NOT NULL, name TEXT, text TEXT NOT NULL
  );
  CREATE INDEX search_entries_by_run ON search_entries (run_id);
  -- The words come as they are compared, with spaces between them.
  CREATE VIRTUAL TABLE search_words USING fts5 (words, tokenize = 'ascii');
  -- What is deleted must not stay in the file; a table without a copy of its words cannot promise that.
  INSERT INTO search_words (search_words, rank) VALUES ('secure-delete', 1);
  CREATE TRIGGER search_entry_deleted AFTER DELETE ON search_entries BEGIN
    DELETE FROM search_words WHERE rowid = old.id;
  END;
`;
