/** What the other functions are built of. */

/** `run` has not ended, its time has come, and no other turn of its thread comes before it. */
export const itsTurn = (run: string) => `coalesce(${run}.not_before, 0) <= skein.now_ms() AND NOT EXISTS (
  SELECT 1 FROM skein.runs AS e
  WHERE e.thread = ${run}.thread AND e.finished_at IS NULL AND e.run_id <> ${run}.run_id
    AND coalesce(e.not_before, 0) <= skein.now_ms() AND (e.seq < ${run}.seq OR e.status = 'running'))`;

/** The database's clock is the only one that counts: a lease is over when it says so. */
export const COMMON = `
  CREATE FUNCTION skein.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

  CREATE FUNCTION skein.key_of(key bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT lpad(key::text, 12, '0') $$;

  -- PL/pgSQL keeps its plans. A function in SQL that is not inlined is planned again by every statement that calls it.
  CREATE FUNCTION skein.is_alive(server text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    RETURN EXISTS (SELECT 1 FROM skein.servers WHERE id = server AND alive_until > clock_timestamp());
  END $$;
`;
