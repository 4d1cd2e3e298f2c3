/** Assigns runs that can start to a server. */
import { isNext } from './common.ts';

export const CLAIM = `
  -- Assigns a run to a server and returns everything that its execution needs. The caller has locked the thread.
  CREATE FUNCTION skein.take_v1(r skein.runs, by_server text) RETURNS jsonb LANGUAGE plpgsql AS $$
  DECLARE
    t skein.threads;
    root text;
    newest text;
    -- A run that was released is queued, which does not count as a crash.
    died boolean := r.status = 'running';
    count int := r.deaths;
    since text := r.deaths_newest;
    leavers text[] := r.left_by;
  BEGIN
    IF r.lease > 0 THEN
      SELECT max(id) FILTER (WHERE ns = ''), max(id) INTO root, newest FROM skein.checkpoints
      WHERE thread = skein.key_of(r.thread) AND run_id = r.run_id;
    END IF;
    IF died THEN
      count := CASE WHEN r.deaths_newest IS NOT DISTINCT FROM newest THEN r.deaths + 1 ELSE 1 END;
      leavers := CASE WHEN count > 1 THEN leavers END || r.server;
      since := newest;
    END IF;
    UPDATE skein.runs AS u SET status = 'running', server = by_server, started_at = skein.now_ms(), lease = u.lease + 1,
      attempt = u.attempt + died::int, deaths = count, deaths_newest = since,
      left_by = leavers, writes = 0
    WHERE u.run_id = r.run_id;
    SELECT * INTO t FROM skein.threads WHERE key = r.thread;
    RETURN jsonb_build_object('runId', r.run_id, 'owner', r.owner, 'lease', r.lease + 1,
      'attempt', r.attempt + died::int, 'deaths', count, 'deathsNewest', since,
      'checkpoint', root, 'stop', r.stop, 'thread', to_jsonb(t));
  END $$;

  -- Claims runs of crashed servers, then the oldest runs that can start, alternating between callers. Skips threads that
  -- another server has locked.
  CREATE FUNCTION skein.claim_v1(most int, by_server text) RETURNS jsonb LANGUAGE plpgsql AS $$
  DECLARE
    claims jsonb := '[]';
    candidate record;
    r skein.runs;
  BEGIN
    IF NOT skein.is_alive(by_server) THEN RETURN claims; END IF;
    FOR candidate IN
      SELECT c.run_id, c.thread FROM (
        SELECT g.run_id, g.thread, g.seq, 0 AS kind, 0 AS place FROM skein.servers AS s
        JOIN skein.runs AS g ON g.server = s.id AND g.finished_at IS NULL AND g.status = 'running'
        WHERE s.alive_until <= clock_timestamp()
        UNION ALL
        SELECT q.run_id, q.thread, q.seq, 1, row_number() OVER (PARTITION BY q.owner ORDER BY q.seq)
        FROM skein.runs AS q
        WHERE q.finished_at IS NULL AND q.status = 'queued' AND ${isNext('q')}
      ) AS c ORDER BY c.kind, c.place, c.seq LIMIT most + 64
    LOOP
      EXIT WHEN jsonb_array_length(claims) >= most;
      PERFORM 1 FROM skein.threads WHERE key = candidate.thread FOR NO KEY UPDATE SKIP LOCKED;
      CONTINUE WHEN NOT FOUND;
      -- Read the run again: after the lock, no other server can change it.
      SELECT * INTO r FROM skein.runs AS n
      WHERE n.run_id = candidate.run_id AND n.finished_at IS NULL AND ${isNext('n')}
        AND (n.status = 'queued' OR NOT skein.is_alive(n.server))
      FOR NO KEY UPDATE;
      IF FOUND THEN claims := claims || skein.take_v1(r, by_server); END IF;
    END LOOP;
    RETURN claims;
  END $$;
`;
