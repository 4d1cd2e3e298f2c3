/** The tables of prompt files: current versions, earlier versions, and a counter of all changes. */

const ID = 'text COLLATE "C"';

/** The number of versions to keep per file, including the current one. */
const MAX_VERSIONS = 50;

/**
 * A trigger assigns version numbers and stores the previous version, so that changes with plain SQL are versioned, too. The
 * counter's row is locked until the end of the transaction, so a reader of a number sees all changes up to it.
 */
export const PROMPT_TABLES = `
  CREATE TABLE skein.prompt_files (
    revision ${ID} NOT NULL, file ${ID} NOT NULL, version integer NOT NULL DEFAULT 0, content bytea NOT NULL,
    author text, created_at bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    PRIMARY KEY (revision, file)
  );
  CREATE TABLE skein.prompt_versions (
    revision ${ID} NOT NULL, file ${ID} NOT NULL, version integer NOT NULL, content bytea NOT NULL,
    author text, created_at bigint NOT NULL,
    PRIMARY KEY (revision, file, version)
  );
  CREATE TABLE skein.prompt_changes (change bigint NOT NULL);
  INSERT INTO skein.prompt_changes VALUES (0);

  CREATE FUNCTION skein.prompt_changed_v1() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    newest integer;
  BEGIN
    UPDATE skein.prompt_changes SET change = change + 1;
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO skein.prompt_versions (revision, file, version, content, author, created_at)
      VALUES (OLD.revision, OLD.file, OLD.version, OLD.content, OLD.author, OLD.created_at) ON CONFLICT DO NOTHING;
    END IF;
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    -- The driver sets the next version; a change by hand does not.
    IF TG_OP = 'UPDATE' AND NEW.version = OLD.version THEN
      NEW.author := NULL;
      NEW.created_at := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
    END IF;
    SELECT max(version) INTO newest FROM skein.prompt_versions WHERE revision = NEW.revision AND file = NEW.file;
    NEW.version := coalesce(newest, 0) + 1;
    DELETE FROM skein.prompt_versions
    WHERE revision = NEW.revision AND file = NEW.file AND version <= NEW.version - ${MAX_VERSIONS};
    RETURN NEW;
  END $$;
  CREATE TRIGGER prompt_changed BEFORE INSERT OR UPDATE OR DELETE ON skein.prompt_files
    FOR EACH ROW EXECUTE FUNCTION skein.prompt_changed_v1();
`;
