/** Tables and functions of minute counters. The table is UNLOGGED, because losing the counters in a crash is acceptable. */

export const COUNTERS = `
  CREATE UNLOGGED TABLE skein.counters (key bytea PRIMARY KEY, count integer NOT NULL, until timestamptz NOT NULL);
  CREATE INDEX counters_by_end ON skein.counters (until);

  -- Returns the first of [{key, most}] that is full, with the milliseconds left of its minute; null if none is full.
  CREATE FUNCTION skein.full_v1(wanted jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (
      SELECT jsonb_build_object('place', w.place - 1,
        'left', ceil(extract(epoch FROM c.until - clock_timestamp()) * 1000)::bigint)
      FROM jsonb_array_elements(wanted) WITH ORDINALITY AS w(one, place)
      JOIN skein.counters AS c ON c.key = decode(w.one ->> 'key', 'hex')
      WHERE c.until > clock_timestamp() AND c.count >= (w.one ->> 'most')::int ORDER BY w.place LIMIT 1);
  END $$;

  -- Adds one to each key, or to none if one is full. Locks the keys in sorted order.
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
    -- A key is full if its count, which was just increased, is above the limit.
    answer := skein.full_v1((SELECT jsonb_agg(jsonb_set(w, '{most}', to_jsonb((w ->> 'most')::int + 1)) ORDER BY place)
      FROM jsonb_array_elements(wanted) WITH ORDINALITY AS all_of(w, place)));
    IF answer IS NOT NULL THEN PERFORM skein.uncount_v1(wanted); END IF;
    RETURN answer;
  END $$;

  -- For each of [{key, reset}]: subtracts one, or resets the count to zero.
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
