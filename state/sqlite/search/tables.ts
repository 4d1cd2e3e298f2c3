/** The tables of the full-text search. The texts of a run are deleted with the run. */
export const SEARCH_TABLES = `
  ALTER TABLE runs ADD COLUMN searchable INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX runs_unsearchable ON runs (finished_at) WHERE searchable = 0 AND finished_at IS NOT NULL;
  CREATE TABLE search_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    kind TEXT NOT NULL, name TEXT, text TEXT NOT NULL
  );
  CREATE INDEX search_entries_by_run ON search_entries (run_id);
  -- The words are already normalized and separated by spaces.
  CREATE VIRTUAL TABLE search_words USING fts5 (words, tokenize = 'ascii');
  -- Deleted words must not remain in the file. A contentless table doesn't support this.
  INSERT INTO search_words (search_words, rank) VALUES ('secure-delete', 1);
  CREATE TRIGGER search_entry_deleted AFTER DELETE ON search_entries BEGIN
    DELETE FROM search_words WHERE rowid = old.id;
  END;
`;
