/** Counters of minutes in PostgreSQL. A crash of the database empties them, which costs nobody anything: they are not logged. */

export const COUNTERS = `
  CREATE UNLOGGED TABLE skein.counters (key bytea PRIMARY KEY, count integer NOT NULL, until timestamptz NOT NULL);
  CREATE INDEX counters_by_end ON skein.counters (until);

  -- The first of [{key, most}] that is full, with the milliseconds of its minute that are left; null where none is.
  CREATE FUNCTION skein.full_v1(wanted jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (
      SELECT jsonb_build_object('place', w.place - 1,
        'left', ceil(extract(epoch FROM c.until - clock_timestamp()) * 1000)::bigint)
      FROM jsonb_array_elements(wanted) WITH ORDINALITY AS w(one, place)
      JOIN skein.counters AS c ON c.key = decode(w.one ->> 'key', 'hex')
      WHERE c.until > clock_timestamp() AND c.count >= (w.one ->> 'most')::int ORDER BY w.place LIMIT 1);
  END $$;

  -- Counts one under each key, or under none where one is full. Keys are locked in one order.
  CREATE FUNCTION skein.count_v1(wanted jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
  DECLARE
    answer jsonb;
    one record;
  BEGIN
    FOR one IN SELECT decode(w ->> 'key', 'hex') AS key FROM jsonb_array_elements(wanted) AS w ORDER BY key LOOP
      INSERT INTO skein.counters AS c (key, count, until)
      VALUES (one.key, 1, clock_timestamp() + interval '1 minute')
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN c.until <= clock_timestamp() THEN 1 ELSE c.count + 1 END,
        until = CASE WHEN c.until <= clock_timestamp() THEN excluded.until ELSE c.until END;
    END LOOP;
    -- One above what may be counted: it was full before.
    answer := skein.full_v1((SELECT jsonb_agg(jsonb_set(w, '{most}', to_jsonb((w ->> 'most')::int + 1)) ORDER BY place)
      FROM jsonb_array_elements(wanted) WITH ORDINALITY AS all_of(w, place)));
    IF answer IS NOT NULL THEN PERFORM skein.uncount_v1(wanted); END IF;
    RETURN answer;
  END $$;

  -- The keys of [{key, reset}]: what was counted last was none, or all of it.
  CREATE FUNCTION skein.uncount_v1(keys jsonb) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    one record;
  BEGIN
    FOR one IN SELECT decode(k ->> 'key', 'hex') AS key, coalesce((k ->> 'reset')::boolean, false) AS reset
      FROM jsonb_array_elements(keys) AS k ORDER BY key LOOP
      UPDATE skein.counters AS c SET count = CASE WHEN one.reset THEN 0 ELSE greatest(c.count - 1, 0) END
      WHERE c.key = one.key;
    END LOOP;
  END $$;
`;
