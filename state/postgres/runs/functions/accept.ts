/** Accepts or rejects a run, with its thread and its idempotency record, in one transaction. */

export const ACCEPT = `
  -- Returns the run of an idempotency key that was created since a time; null if there is none.
  CREATE FUNCTION skein.repeated_v1(by_owner text, by_key text, by_digest text, since bigint) RETURNS jsonb
  LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (
      SELECT CASE WHEN i.digest <> by_digest THEN jsonb_build_object('outcome', 'mismatch')
        ELSE jsonb_build_object('outcome', 'repeated', 'runId', i.run_id, 'threadId', t.thread_id,
          'messageId', r.message_id) END
      FROM skein.idempotency AS i
      JOIN skein.runs AS r ON r.run_id = i.run_id JOIN skein.threads AS t ON t.key = r.thread
      WHERE i.owner = by_owner AND i.key = by_key AND i.created_at >= since);
  END $$;

  -- Returns why a run is rejected; null if it is accepted. The thread is locked, and runs are accepted in the order of its locks.
  CREATE FUNCTION skein.refusal_v1(t skein.threads, a jsonb, turns bigint, is_due boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
  BEGIN
    IF t.closed_by IS NOT NULL AND skein.is_alive(t.closed_by) THEN
      RETURN jsonb_build_object('outcome', 'closing');
    END IF;
    IF a ->> 'strategy' = 'reject' AND turns > 0 THEN RETURN jsonb_build_object('outcome', 'busy'); END IF;
    IF NOT is_due THEN
      -- Runs with a start time in the future don't block other runs, so they are counted separately.
      IF (a ->> 'perThread')::int <= (
        SELECT count(*) FROM skein.runs AS r WHERE r.thread = t.key AND r.finished_at IS NULL AND r.status = 'queued'
          AND r.not_before > skein.now_ms())
      THEN
        RETURN jsonb_build_object('outcome', 'full', 'of', 'thread');
      END IF;
      IF (a ->> 'queued')::int <= (
        SELECT count(*) FROM (
          SELECT 1 FROM skein.runs AS r WHERE r.finished_at IS NULL AND r.status = 'queued'
            AND r.not_before > skein.now_ms() LIMIT (a ->> 'queued')::int) AS scheduled)
      THEN
        RETURN jsonb_build_object('outcome', 'full', 'of', 'all');
      END IF;
      RETURN NULL;
    END IF;
    IF turns > (a ->> 'perThread')::int THEN RETURN jsonb_build_object('outcome', 'full', 'of', 'thread'); END IF;
    IF (turns > 0 OR NOT (a ->> 'claim')::boolean) AND (a ->> 'queued')::int <= (
      SELECT count(*) FROM (
        SELECT 1 FROM skein.runs AS r WHERE r.finished_at IS NULL AND r.status = 'queued'
          AND coalesce(r.not_before, 0) <= skein.now_ms() LIMIT (a ->> 'queued')::int) AS waiting)
    THEN
      RETURN jsonb_build_object('outcome', 'full', 'of', 'all');
    END IF;
    RETURN NULL;
  END $$;

  -- Whether a run is the thread's last unfinished one, or all runs have ended and the head is the expected one.
  CREATE FUNCTION skein.stands_at_v1(t skein.threads, at jsonb, turns bigint) RETURNS boolean LANGUAGE sql VOLATILE AS $$
    SELECT CASE WHEN t.key IS NULL THEN false
      WHEN turns = 0 THEN t.head IS NOT DISTINCT FROM at ->> 'head'
      ELSE at ->> 'runId' = (
        SELECT run_id FROM skein.runs AS r WHERE r.thread = t.key AND r.finished_at IS NULL
          AND coalesce(r.not_before, 0) <= skein.now_ms() ORDER BY r.seq DESC LIMIT 1) END
  $$;

  CREATE FUNCTION skein.accepted_before_v1(id text, by_server text) RETURNS jsonb LANGUAGE plpgsql AS $$
  BEGIN
    RETURN (
      SELECT jsonb_build_object('outcome', 'accepted', 'thread', to_jsonb(t),
        'starts', r.status = 'running' AND r.server = by_server AND r.lease = 1, 'replaced', '[]'::jsonb)
      FROM skein.runs AS r JOIN skein.threads AS t ON t.key = r.thread WHERE r.run_id = id);
  END $$;

  CREATE FUNCTION skein.accept_v1(r jsonb, a jsonb, by_server text) RETURNS jsonb LANGUAGE plpgsql AS $$
  DECLARE
    t skein.threads;
    answer jsonb;
    turns bigint;
    is_temporary smallint;
    starts boolean;
    replaced jsonb;
    at bigint := (r ->> 'createdAt')::bigint;
    is_protocol boolean := (r ->> 'protocol')::int = 1;
    is_due boolean := coalesce((r ->> 'notBefore')::bigint, 0) <= skein.now_ms();
  BEGIN
    -- The commit reaches the disk with the run's next write, or shortly after.
    PERFORM set_config('synchronous_commit', 'off', true);
    -- If the run exists, the answer was lost with its connection and the statement was sent again.
    answer := skein.accepted_before_v1(r ->> 'runId', by_server);
    IF answer IS NOT NULL THEN RETURN answer; END IF;
    IF r ? 'key' THEN
      PERFORM pg_advisory_xact_lock(hashtextextended((r ->> 'owner') || chr(10) || (r ->> 'key'), 7211346551));
      answer := skein.repeated_v1(r ->> 'owner', r ->> 'key', r ->> 'digest', at - 86400000);
      IF answer IS NOT NULL THEN RETURN answer; END IF;
    END IF;
    LOOP
      SELECT * INTO t FROM skein.threads
      WHERE owner = r ->> 'owner' AND thread_id = r ->> 'threadId' FOR NO KEY UPDATE;
      SELECT count(*) INTO turns FROM skein.runs
      WHERE thread = t.key AND finished_at IS NULL AND coalesce(not_before, 0) <= skein.now_ms();
      answer := skein.refusal_v1(t, a, turns, is_due);
      IF answer IS NOT NULL THEN RETURN answer; END IF;
      IF r ? 'follows' AND NOT skein.stands_at_v1(t, r -> 'follows', turns) THEN
        RETURN jsonb_build_object('outcome', 'moved');
      END IF;
      EXIT WHEN t.key IS NOT NULL;
      INSERT INTO skein.threads (owner, thread_id, title, workflow, created_at, updated_at)
      VALUES (r ->> 'owner', r ->> 'threadId', r ->> 'title', r ->> 'workflow', at, at)
      ON CONFLICT (owner, thread_id) DO NOTHING RETURNING * INTO t;
      EXIT WHEN t.key IS NOT NULL;
    END LOOP;
    -- A thread that was created without a turn has no title.
    IF t.title = '' THEN UPDATE skein.threads SET title = r ->> 'title' WHERE key = t.key; END IF;
    is_temporary := (r ->> 'temporary')::int;
    IF t.temporary <> is_temporary THEN
      UPDATE skein.threads SET temporary = is_temporary WHERE key = t.key RETURNING * INTO t;
    END IF;
    IF r ? 'stamp' THEN
      UPDATE skein.threads SET keeps_all = 1,
        metadata = (coalesce(metadata, '{}')::jsonb || (r -> 'stamp'))::text,
        workflow = CASE WHEN workflow = '' THEN r ->> 'workflow' ELSE workflow END
      WHERE key = t.key RETURNING * INTO t;
    END IF;
    IF r ? 'ttl' THEN
      UPDATE skein.threads SET ttl = (r ->> 'ttl')::bigint, ttl_strategy = r ->> 'ttlStrategy', ttl_since = at
      WHERE key = t.key AND ttl IS NULL AND temporary = 0;
    END IF;
    IF r ? 'resumes' AND (t.interrupt IS NULL OR t.interrupt_run <> r ->> 'resumes') THEN
      RETURN jsonb_build_object('outcome', 'answered');
    END IF;
    -- Only checked without waiting turns: those decide later whether the thread waits for a person.
    IF t.interrupt IS NOT NULL AND turns = 0 AND NOT r ? 'resumes' AND (r ->> 'supersedes')::int = 0
      AND NOT is_protocol
    THEN
      RETURN jsonb_build_object('outcome', 'interrupted', 'interrupt', t.interrupt);
    END IF;
    -- A server whose lease has expired must not claim runs.
    starts := turns = 0 AND (a ->> 'claim')::boolean AND is_due AND skein.is_alive(by_server);
    INSERT INTO skein.runs (run_id, thread, owner, message_id, workflow, status, request, protocol, supersedes, resumes,
      created_at, not_before, started_at, lease, server)
    VALUES (r ->> 'runId', t.key, r ->> 'owner', r ->> 'messageId', r ->> 'workflow',
      CASE WHEN starts THEN 'running' ELSE 'queued' END, r ->> 'request', (r ->> 'protocol')::int,
      (r ->> 'supersedes')::int, r ->> 'resumes', at, (r ->> 'notBefore')::bigint,
      CASE WHEN starts THEN at END, CASE WHEN starts THEN 1 ELSE 0 END, CASE WHEN starts THEN by_server END);
    IF r ? 'key' THEN
      INSERT INTO skein.idempotency (owner, key, digest, run_id, created_at)
      VALUES (r ->> 'owner', r ->> 'key', r ->> 'digest', r ->> 'runId', at)
      ON CONFLICT (owner, key) DO UPDATE
        SET digest = excluded.digest, run_id = excluded.run_id, created_at = excluded.created_at;
    END IF;
    IF r ? 'replaces' THEN
      WITH stopped AS (
        UPDATE skein.runs SET stop = CASE WHEN r ->> 'replaces' = 'rollback' THEN 'rollback' ELSE 'cancel' END
        WHERE thread = t.key AND finished_at IS NULL AND run_id <> r ->> 'runId'
          AND (r ->> 'replaces' <> 'superseded' OR status = 'running' OR supersedes = 1)
        RETURNING run_id)
      SELECT jsonb_agg(run_id) INTO replaced FROM stopped;
    END IF;
    RETURN jsonb_build_object('outcome', 'accepted', 'thread', to_jsonb(t), 'starts', starts,
      'replaced', coalesce(replaced, '[]'));
  END $$;
`;
