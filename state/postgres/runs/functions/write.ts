/** Writes the rows of a run during its execution. */

/**
 * The condition of an unfinished run `r` with a lease. Not `IS NULL`: the planner would find the run in an index of the few
 * unfinished runs, but such an index also contains all runs that ended since the oldest transaction of the database began.
 */
export const unfinished = (id: string, lease: string) =>
  `r.run_id = ${id} AND r.lease = ${lease} AND coalesce(r.finished_at, 0) = 0`;

/** A migration replaces the functions of earlier releases, which return the same results. */
export const LEASE_CHECKS = `
  -- Whether the lease allows writing the run. Locks the run, so that it cannot be claimed until the end of the transaction. A
  -- waiting run has no server; the server that accepted it may end it.
  CREATE OR REPLACE FUNCTION skein.holds_v1(id text, number int, by_server text) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM 1 FROM skein.runs AS r
    WHERE ${unfinished('id', 'number')}
      AND (r.server IS NULL OR r.server = by_server AND skein.is_alive(by_server))
    FOR NO KEY UPDATE;
    RETURN FOUND;
  END $$;

  -- Like holds_v1, for a numbered statement. Fails if a statement since the last confirmed one is missing after a crash.
  CREATE OR REPLACE FUNCTION skein.follows_v1(id text, number int, by_server text, place jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE skein.runs AS r SET writes = (place ->> 'number')::int
    WHERE ${unfinished('id', 'number')}
      AND (r.server IS NULL OR r.server = by_server AND skein.is_alive(by_server))
      AND r.writes BETWEEN (place ->> 'confirmed')::int AND (place ->> 'number')::int;
    RETURN FOUND;
  END $$;
`;

export const WRITE = `${LEASE_CHECKS}
  CREATE FUNCTION skein.add_events_v1(id text, thread_key bigint, events jsonb) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    e record;
    newest bigint;
  BEGIN
    SELECT last_seq INTO newest FROM skein.threads WHERE key = thread_key;
    FOR e IN SELECT * FROM jsonb_to_recordset(events)
      AS (first bigint, last bigint, chat_first bigint, chat_last bigint, created_at bigint, body text)
    LOOP
      INSERT INTO skein.events (run_id, first, last, chat_first, chat_last, thread, seq, created_at, body)
      VALUES (id, e.first, e.last, e.chat_first, e.chat_last, thread_key, newest + e.last - e.first + 1,
        e.created_at, e.body)
      ON CONFLICT (run_id, first) DO NOTHING;
      IF FOUND THEN newest := newest + e.last - e.first + 1; END IF;
    END LOOP;
    UPDATE skein.threads SET last_seq = newest WHERE key = thread_key;
  END $$;

  -- Inserts the rows of one unit: see runs/writes.ts.
  CREATE FUNCTION skein.add_rows_v1(thread_key text, rows jsonb) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF rows ? 'checkpoints' THEN
      INSERT INTO skein.checkpoints (thread, ns, id, parent, run_id, versions, body, metadata, deltas)
      SELECT thread_key, c.ns, c.id, c.parent, c.run_id, c.versions, c.body, c.metadata, coalesce(c.deltas,
        (SELECT p.deltas FROM skein.checkpoints AS p WHERE p.thread = thread_key AND p.ns = c.ns AND p.id = c.parent))
      FROM jsonb_to_recordset(rows -> 'checkpoints') AS c(ns text, id text, parent text, run_id text, versions text,
        body text, metadata text, deltas text)
      ON CONFLICT (thread, ns, id) DO UPDATE SET parent = excluded.parent, run_id = excluded.run_id,
        versions = excluded.versions, body = excluded.body, metadata = excluded.metadata, deltas = excluded.deltas;
    END IF;
    IF rows ? 'values' THEN
      INSERT INTO skein.checkpoint_values (thread, ns, channel, version, value, elements)
      SELECT thread_key, v.ns, v.channel, v.version, v.value, v.elements
      FROM jsonb_to_recordset(rows -> 'values') AS v(ns text, channel text, version text, value text, elements text)
      ON CONFLICT (thread, ns, channel, version) DO UPDATE SET value = excluded.value, elements = excluded.elements;
    END IF;
    IF rows ? 'elements' THEN
      INSERT INTO skein.checkpoint_elements (thread, channel, seq, value)
      SELECT thread_key, e.channel, e.seq, e.value
      FROM jsonb_to_recordset(rows -> 'elements') AS e(channel text, seq bigint, value text)
      ON CONFLICT (thread, channel, seq) DO UPDATE SET value = excluded.value;
    END IF;
    IF rows ? 'writes' THEN
      INSERT INTO skein.checkpoint_writes AS w (thread, ns, id, task, writes, path)
      SELECT thread_key, t.ns, t.id, t.task, t.writes, t.path
      FROM jsonb_to_recordset(rows -> 'writes') AS t(ns text, id text, task text, writes text, path text)
      ON CONFLICT (thread, ns, id, task) DO UPDATE SET writes = w.writes || chr(10) || excluded.writes;
    END IF;
  END $$;

  -- Writes one unit {thread, run_id, lease, place, rows}; false if its lease is lost. Locks the thread before the run.
  CREATE FUNCTION skein.write_unit_v1(unit jsonb, by_server text) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    rows jsonb := unit -> 'rows';
    id text := unit ->> 'run_id';
    thread_key bigint;
  BEGIN
    IF rows ? 'events' THEN
      SELECT t.key INTO thread_key FROM skein.runs AS r JOIN skein.threads AS t ON t.key = r.thread
      WHERE r.run_id = id FOR NO KEY UPDATE OF t;
    END IF;
    IF id IS NULL THEN
      -- A change outside of a run must not be written after its thread is deleted.
      PERFORM 1 FROM skein.threads WHERE unit ->> 'thread' ~ '^[0-9]{12,18}$'
        AND key = CASE WHEN unit ->> 'thread' ~ '^[0-9]{12,18}$' THEN (unit ->> 'thread')::bigint END FOR KEY SHARE;
    END IF;
    IF id IS NOT NULL AND NOT (CASE WHEN unit ? 'place'
      THEN skein.follows_v1(id, (unit ->> 'lease')::int, by_server, unit -> 'place')
      ELSE skein.holds_v1(id, (unit ->> 'lease')::int, by_server) END)
    THEN RETURN false; END IF;
    PERFORM skein.add_rows_v1(unit ->> 'thread', rows);
    IF rows ? 'events' THEN
      PERFORM skein.add_events_v1(id, thread_key, rows -> 'events');
    END IF;
    IF rows ? 'usage' THEN
      UPDATE skein.runs SET input_tokens = (rows -> 'usage' ->> 'input')::bigint,
        output_tokens = (rows -> 'usage' ->> 'output')::bigint, models = rows -> 'usage' ->> 'models'
      WHERE run_id = id;
    END IF;
    RETURN true;
  END $$;

  -- Writes several units in one transaction, sorted by thread, so that two servers cannot deadlock. Returns the indexes of the
  -- units whose lease is lost. Without durable, the commit reaches the disk with the next durable one.
  CREATE FUNCTION skein.write_v1(units jsonb, by_server text, durable boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
  DECLARE
    lost jsonb := '[]';
    place int;
  BEGIN
    IF NOT durable THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
    FOR place IN 0 .. jsonb_array_length(units) - 1 LOOP
      IF NOT skein.write_unit_v1(units -> place, by_server) THEN lost := lost || to_jsonb(place); END IF;
    END LOOP;
    RETURN lost;
  END $$;
`;
