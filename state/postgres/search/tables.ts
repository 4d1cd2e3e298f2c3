/** The tables of the full-text search. The texts of a run are deleted with the run. */
export const SEARCH_TABLES = `
  ALTER TABLE skein.runs ADD COLUMN searchable smallint NOT NULL DEFAULT 0;
  CREATE INDEX runs_unsearchable ON skein.runs (finished_at) WHERE searchable = 0 AND finished_at IS NOT NULL;
  CREATE TABLE skein.search_entries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL REFERENCES skein.runs (run_id) ON DELETE CASCADE,
    kind text NOT NULL, name text, text text NOT NULL, words tsvector NOT NULL
  );
  CREATE INDEX search_entries_by_run ON skein.search_entries (run_id);
  CREATE INDEX search_entries_by_words ON skein.search_entries USING gin (words);
`;
