/** Writes the end of a run: its outcome, its messages and the thread's new head, and deletes what is no longer needed. */

export const END = `
  -- Returns the current task writes of a turn, which begins to wait for a person.
  CREATE FUNCTION skein.snapshot_v1(thread_key text, since text) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(json_agg(json_build_array(ns, id, task, writes, path)), '[]')::text
    FROM skein.checkpoint_writes WHERE thread = thread_key AND id >= coalesce(since, '')
  $$;

  CREATE FUNCTION skein.restore_v1(thread_key text, since text, stored text) RETURNS void LANGUAGE sql VOLATILE AS $$
    DELETE FROM skein.checkpoint_writes WHERE thread = thread_key AND id >= coalesce(since, '');
    INSERT INTO skein.checkpoint_writes (thread, ns, id, task, writes, path)
    SELECT thread_key, w ->> 0, w ->> 1, w ->> 2, w ->> 3, coalesce(w ->> 4, '')
    FROM json_array_elements(coalesce(stored, '[]')::json) AS w
    WHERE EXISTS (SELECT 1 FROM skein.checkpoints AS c
      WHERE c.thread = thread_key AND c.ns = w ->> 0 AND c.id = w ->> 1)
    ON CONFLICT DO NOTHING;
  $$;

  CREATE FUNCTION skein.insert_messages_v1(thread_key bigint, rows jsonb) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO skein.messages (thread, message_id, run_id, workflow, role, content, status, user_id, outputs,
      token_count, created_at)
    SELECT thread_key, m ->> 'message_id', m ->> 'run_id', m ->> 'workflow', m ->> 'role', m ->> 'content',
      m ->> 'status', m ->> 'user_id', m ->> 'outputs', (m ->> 'token_count')::bigint, (m ->> 'created_at')::bigint
    FROM jsonb_array_elements(rows) WITH ORDINALITY AS one(m, place)
    ORDER BY place;
  END $$;

  -- Deletes values to which no checkpoint and no step of a delta channel refers, and elements to which no value refers.
  CREATE FUNCTION skein.drop_values_v1(thread_key text) RETURNS void LANGUAGE sql VOLATILE AS $$
    DELETE FROM skein.checkpoint_values AS v WHERE v.thread = thread_key AND NOT EXISTS (
      SELECT 1 FROM (
        SELECT ns, versions FROM skein.checkpoints WHERE thread = thread_key
        UNION ALL SELECT ns, versions FROM skein.checkpoint_deltas WHERE thread = thread_key) AS c,
        json_each_text(c.versions::json) AS named
      WHERE c.ns = v.ns AND named.key = v.channel AND named.value = v.version);
    DELETE FROM skein.checkpoint_elements AS e WHERE e.thread = thread_key AND NOT EXISTS (
      SELECT 1 FROM skein.checkpoint_values AS v, json_array_elements(v.elements::json) AS range
      WHERE v.thread = thread_key AND v.channel = e.channel AND v.elements IS NOT NULL
        AND e.seq BETWEEN (range ->> 0)::bigint AND (range ->> 1)::bigint);
  $$;

  -- After a successful turn of a thread without delta channels: deletes its task writes and, if asked, old checkpoints.
  CREATE FUNCTION skein.tidy_v1(thread_key text, head text, keep int, prunes boolean) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM skein.checkpoint_writes WHERE thread = thread_key;
    IF NOT prunes THEN RETURN; END IF;
    DELETE FROM skein.checkpoints WHERE thread = thread_key AND id <> head AND id <= (
      SELECT id FROM skein.checkpoints WHERE thread = thread_key AND ns = '' ORDER BY id DESC LIMIT 1 OFFSET keep)
      AND id NOT IN (SELECT parent_checkpoint FROM skein.threads
        WHERE parent_key = thread_key::bigint AND parent_checkpoint IS NOT NULL);
    IF FOUND THEN PERFORM skein.drop_values_v1(thread_key); END IF;
  END $$;

  CREATE FUNCTION skein.newest_v1(thread_key text, id text) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT max(c.id) FROM skein.checkpoints AS c WHERE c.thread = thread_key AND c.ns = '' AND c.run_id = newest_v1.id
  $$;

  -- Ends a run that failed or was cancelled; see RunEnd. A run of LangGraph's protocol keeps its progress unless rolled back.
  CREATE FUNCTION skein.end_badly_v1(e jsonb) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    run text := e ->> 'runId';
    thread_key text := e ->> 'thread';
    has_failed int := (e ->> 'status' = 'failed')::int;
    rolls_back boolean := (e ->> 'rollback')::boolean;
    at bigint := (e ->> 'finishedAt')::bigint;
  BEGIN
    IF rolls_back OR NOT (e ->> 'protocol')::boolean THEN
      WITH gone AS (
        DELETE FROM skein.checkpoints AS c WHERE c.thread = thread_key AND c.run_id = run RETURNING c.id)
      DELETE FROM skein.checkpoint_writes AS w USING gone WHERE w.thread = thread_key AND w.id = gone.id;
      IF (e ->> 'answers')::boolean THEN
        PERFORM skein.restore_v1(thread_key, t.interrupt_since, t.interrupt_writes)
        FROM skein.threads AS t WHERE t.key = thread_key::bigint;
      END IF;
      UPDATE skein.threads SET failed = has_failed, updated_at = at,
        message_count = message_count + jsonb_array_length(e -> 'messages')
      WHERE key = thread_key::bigint;
    ELSIF (e ->> 'started')::boolean THEN
      UPDATE skein.threads SET failed = has_failed, interrupt = NULL,
        head = coalesce(e ->> 'checkpoint', skein.newest_v1(thread_key, run), e ->> 'headBefore'),
        memory = e ->> 'memory', workflow = e ->> 'workflow', updated_at = at
      WHERE key = thread_key::bigint;
    END IF;
    IF rolls_back THEN DELETE FROM skein.runs WHERE run_id = run; END IF;
  END $$;

  CREATE FUNCTION skein.end_well_v1(e jsonb) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    thread_key text := e ->> 'thread';
    new_head text := coalesce(e ->> 'checkpoint', skein.newest_v1(thread_key, e ->> 'runId'),
      CASE WHEN (e ->> 'goesOn')::boolean THEN e ->> 'headBefore' END);
    waits boolean := e ->> 'interrupt' IS NOT NULL;
  BEGIN
    IF new_head IS NULL THEN RAISE EXCEPTION 'the run that ends has no checkpoint'; END IF;
    UPDATE skein.threads AS t SET failed = 0, head = new_head, interrupt = e ->> 'interrupt',
      interrupt_run = CASE WHEN waits THEN e ->> 'runId' END,
      interrupt_since = CASE WHEN waits THEN e ->> 'turnBefore' END,
      interrupt_writes = CASE WHEN waits THEN skein.snapshot_v1(thread_key, e ->> 'turnBefore') END,
      memory = e ->> 'memory', workflow = e ->> 'workflow', updated_at = (e ->> 'finishedAt')::bigint,
      message_count = (e ->> 'messageCount')::int
    WHERE t.key = thread_key::bigint;
    IF e ->> 'tidy' IN ('settle', 'prune') THEN
      PERFORM skein.tidy_v1(thread_key, new_head, (e ->> 'keep')::int, e ->> 'tidy' = 'prune');
    END IF;
  END $$;

  -- Ends a run. outcome: ended; lost (the lease); or deltas: the run has ended, and the caller must settle the thread's delta
  -- channels. claim: the next run, if requested. waits: whether the thread's next turn is waiting for a server.
  CREATE FUNCTION skein.end_v1(e jsonb, by_server text) RETURNS jsonb LANGUAGE plpgsql AS $$
  DECLARE
    id text := e ->> 'runId';
    thread_key text := e ->> 'thread';
    unit jsonb;
    outcome text := 'ended';
  BEGIN
    PERFORM 1 FROM skein.threads WHERE key = thread_key::bigint FOR NO KEY UPDATE;
    IF NOT skein.follows_v1(id, (e ->> 'lease')::int, by_server, e -> 'place') THEN
      -- If this lease has already ended the run, keep the stored end.
      PERFORM 1 FROM skein.runs WHERE run_id = id AND lease = (e ->> 'lease')::int AND finished_at IS NOT NULL;
      IF NOT FOUND THEN RETURN jsonb_build_object('outcome', 'lost'); END IF;
    ELSE
      FOR unit IN SELECT * FROM jsonb_array_elements(e -> 'units') LOOP
        PERFORM skein.add_rows_v1(thread_key, (unit -> 'rows') - 'writes');
        IF unit -> 'rows' ? 'events' THEN
          PERFORM skein.add_events_v1(id, thread_key::bigint, unit -> 'rows' -> 'events');
        END IF;
      END LOOP;
      IF e ->> 'tidy' IN ('settle', 'prune') AND EXISTS (
        SELECT 1 FROM skein.checkpoints WHERE thread = thread_key AND deltas IS NOT NULL)
      THEN
        outcome := 'deltas';
        e := e || jsonb_build_object('tidy', 'none');
      END IF;
      -- A successful turn deletes its task writes, so those of its last steps are only written otherwise.
      IF e ->> 'tidy' = 'none' THEN
        FOR unit IN SELECT * FROM jsonb_array_elements(e -> 'units') LOOP
          PERFORM skein.add_rows_v1(thread_key, jsonb_build_object('writes', unit -> 'rows' -> 'writes'))
          WHERE unit -> 'rows' ? 'writes';
        END LOOP;
      END IF;
      UPDATE skein.runs SET status = e ->> 'status', finished_at = (e ->> 'finishedAt')::bigint,
        input_tokens = (e ->> 'inputTokens')::bigint, output_tokens = (e ->> 'outputTokens')::bigint,
        models = e ->> 'models', agents = e ->> 'agents', result = e ->> 'result', error = e ->> 'error'
      WHERE run_id = id;
      PERFORM skein.count_usage_v1(id, e ->> 'day', e -> 'used');
      PERFORM skein.insert_messages_v1(thread_key::bigint, e -> 'messages');
      IF e ->> 'error' IS NULL THEN PERFORM skein.end_well_v1(e); ELSE PERFORM skein.end_badly_v1(e); END IF;
      IF e ? 'webhook' THEN
        INSERT INTO skein.webhook_deliveries (delivery_id, thread, run_id, url, run, head, due_at)
        SELECT e ->> 'deliveryId', r.thread, r.run_id, e ->> 'webhook',
          (to_jsonb(r) || jsonb_build_object('thread_id', t.thread_id, 'agents', NULL, 'result', NULL))::text,
          t.head, (e ->> 'finishedAt')::bigint
        FROM skein.runs AS r JOIN skein.threads AS t ON t.key = r.thread WHERE r.run_id = id;
      END IF;
    END IF;
    RETURN jsonb_build_object('outcome', outcome,
      'claim', CASE WHEN (e ->> 'more')::boolean AND outcome = 'ended' THEN skein.claim_v1(1, by_server) -> 0 END,
      'waits', EXISTS (
        SELECT 1 FROM skein.runs WHERE thread = thread_key::bigint AND finished_at IS NULL AND status = 'queued'));
  END $$;
`;
