/** SQL that the other functions share. */

/** Condition: the start time of `run` has come, and no unfinished run of its thread is before it or running. */
export const isNext = (run: string) => `coalesce(${run}.not_before, 0) <= skein.now_ms() AND NOT EXISTS (
  SELECT 1 FROM skein.runs AS e
  WHERE e.thread = ${run}.thread AND e.finished_at IS NULL AND e.run_id <> ${run}.run_id
    AND coalesce(e.not_before, 0) <= skein.now_ms() AND (e.seq < ${run}.seq OR e.status = 'running'))`;

/** Leases are only compared with the clock of the database. */
export const COMMON = `
  CREATE FUNCTION skein.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

  CREATE FUNCTION skein.key_of(key bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT lpad(key::text, 12, '0') $$;

  -- PL/pgSQL, because it caches plans. A SQL function that is not inlined is planned again in every statement that calls it.
  CREATE FUNCTION skein.is_alive(server text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    RETURN EXISTS (SELECT 1 FROM skein.servers WHERE id = server AND alive_until > clock_timestamp());
  END $$;
`;
