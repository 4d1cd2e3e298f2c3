/** Leases of servers, and requests for their runs. */

export const SERVERS = `
  CREATE FUNCTION skein.join_v1(by_server text, seconds double precision) RETURNS void LANGUAGE sql AS $$
    INSERT INTO skein.servers (id, alive_until) VALUES (by_server, clock_timestamp() + seconds * interval '1 second')
    ON CONFLICT (id) DO NOTHING
  $$;

  -- Releases webhooks and crons that crashed servers had taken; returns whether there were any.
  CREATE FUNCTION skein.free_v1() RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    gone text[];
    freed int;
    total int := 0;
  BEGIN
    SELECT array_agg(id) INTO gone FROM skein.servers WHERE alive_until <= clock_timestamp();
    IF gone IS NULL THEN RETURN false; END IF;
    UPDATE skein.webhook_deliveries SET held_until = 0, held_by = NULL
    WHERE held_until > 0 AND state = 'waiting' AND held_by = ANY (gone);
    GET DIAGNOSTICS freed = ROW_COUNT;
    total := total + freed;
    UPDATE skein.crons SET held_until = 0, held_by = NULL WHERE held_until > 0 AND held_by = ANY (gone);
    GET DIAGNOSTICS freed = ROW_COUNT;
    total := total + freed;
    UPDATE skein.cron_threads SET held_until = 0, held_by = NULL WHERE held_until > 0 AND held_by = ANY (gone);
    GET DIAGNOSTICS freed = ROW_COUNT;
    RETURN total + freed > 0;
  END $$;

  -- Renews the lease of a server. Returns null if it had expired: the server has lost its runs. Otherwise returns which of its
  -- claimed and waiting runs must stop or belong to other servers, and whether any run can be claimed.
  CREATE FUNCTION skein.renew_v1(by_server text, seconds double precision, waiting jsonb, held jsonb,
    answer_ms bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE skein.servers SET alive_until = clock_timestamp() + seconds * interval '1 second'
    WHERE id = by_server AND alive_until > clock_timestamp();
    IF NOT FOUND THEN RETURN NULL; END IF;
    -- Release runs that the server does not know it has claimed, because the answer was lost with a connection.
    UPDATE skein.runs SET status = 'queued', server = NULL
    WHERE server = by_server AND finished_at IS NULL AND status = 'running'
      AND started_at < skein.now_ms() - answer_ms
      AND run_id NOT IN (SELECT jsonb_array_elements_text(held));
    RETURN jsonb_build_object(
      'freed', skein.free_v1(),
      'stops', (SELECT coalesce(jsonb_agg(jsonb_build_object('runId', run_id, 'reason', stop)), '[]') FROM (
        SELECT run_id, stop FROM skein.runs
        WHERE server = by_server AND finished_at IS NULL AND status = 'running' AND stop IS NOT NULL
        UNION
        SELECT run_id, stop FROM skein.runs
        WHERE run_id IN (SELECT jsonb_array_elements_text(waiting)) AND finished_at IS NULL AND stop IS NOT NULL
      ) AS asked),
      'elsewhere', (SELECT coalesce(jsonb_agg(id), '[]') FROM jsonb_array_elements_text(waiting) AS id
        WHERE NOT EXISTS (SELECT 1 FROM skein.runs
          WHERE run_id = id AND finished_at IS NULL AND (status = 'queued' OR server = by_server))),
      'ready', EXISTS (SELECT 1 FROM skein.runs WHERE finished_at IS NULL AND status = 'queued') OR EXISTS (
        SELECT 1 FROM skein.servers AS s JOIN skein.runs AS g
          ON g.server = s.id AND g.finished_at IS NULL AND g.status = 'running'
        WHERE s.alive_until <= clock_timestamp()));
  END $$;

  -- A server was only paused, so its runs must not count as having crashed a process.
  CREATE FUNCTION skein.woke_v1(old_server text) RETURNS void LANGUAGE sql AS $$
    UPDATE skein.runs SET deaths = greatest(deaths - 1, 0), left_by = nullif(array_remove(left_by, old_server), '{}')
    WHERE finished_at IS NULL AND left_by IS NOT NULL AND old_server = ANY (left_by)
  $$;

  -- Ends the lease of a server that has released its runs. Deletes old rows of servers to which no run refers.
  CREATE FUNCTION skein.leave_v1(by_server text) RETURNS void LANGUAGE sql AS $$
    UPDATE skein.servers SET alive_until = '-infinity' WHERE id = by_server;
    DELETE FROM skein.servers AS s WHERE alive_until < clock_timestamp() - interval '1 day'
      AND NOT EXISTS (SELECT 1 FROM skein.runs AS r
        WHERE r.server = s.id AND r.finished_at IS NULL AND r.status = 'running')
  $$;
`;
