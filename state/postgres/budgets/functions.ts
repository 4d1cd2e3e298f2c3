/**
 * The table and functions of budgets. Each process has its own rows and always writes its total usage and reservations, so a
 * repeated statement has no effect. Reservations count as long as the lease of the process's server is valid.
 */
import { COST_TOLERANCE } from '../../usage/budgets.ts';
import { LOCKS } from '../database/locks.ts';

export const BUDGETS = `
  CREATE TABLE skein.budget_shares (
    scope text COLLATE "C" NOT NULL, process text COLLATE "C" NOT NULL, ends_at bigint NOT NULL,
    spent_tokens bigint NOT NULL DEFAULT 0, spent_cost double precision NOT NULL DEFAULT 0,
    server text COLLATE "C", held_tokens bigint NOT NULL DEFAULT 0, held_cost double precision NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, process)
  );
  CREATE INDEX budget_shares_by_end ON skein.budget_shares (ends_at);

  -- The amount left under each limit of [{scope, tokens, cost}], without and with the reservations of running calls.
  CREATE FUNCTION skein.budget_rooms_v1(limits jsonb, by_process text)
  RETURNS TABLE (place int, tokens bigint, cost double precision, free_tokens bigint, free_cost double precision)
  LANGUAGE sql VOLATILE AS $$
    SELECT l.place::int - 1, (l.one ->> 'tokens')::bigint - s.tokens, (l.one ->> 'cost')::double precision - s.cost,
      (l.one ->> 'tokens')::bigint - s.tokens - s.held_tokens,
      (l.one ->> 'cost')::double precision - s.cost - s.held_cost
    FROM jsonb_array_elements(limits) WITH ORDINALITY AS l(one, place), LATERAL (
      SELECT coalesce(sum(spent_tokens), 0)::bigint AS tokens, coalesce(sum(spent_cost), 0) AS cost,
        coalesce(sum(held_tokens) FILTER (WHERE v.id IS NOT NULL OR b.process = by_process), 0)::bigint AS held_tokens,
        coalesce(sum(held_cost) FILTER (WHERE v.id IS NOT NULL OR b.process = by_process), 0) AS held_cost
      FROM skein.budget_shares AS b
      LEFT JOIN skein.servers AS v ON v.id = b.server AND v.alive_until > clock_timestamp()
      WHERE b.scope = l.one ->> 'scope') AS s
  $$;

  -- Processes one request {limits, least, most}; returns the reserved {tokens, cost}, or {limit, waits}. The caller has locked
  -- the scopes.
  CREATE FUNCTION skein.reserve_v1(asked jsonb, by_process text, by_server text) RETURNS jsonb LANGUAGE plpgsql AS $$
  DECLARE
    least_tokens bigint := (asked -> 'least' ->> 'tokens')::bigint;
    least_cost double precision := (asked -> 'least' ->> 'cost')::double precision;
    most_tokens bigint := (asked -> 'most' ->> 'tokens')::bigint;
    most_cost double precision := (asked -> 'most' ->> 'cost')::double precision;
    spent int;
    busy int;
  BEGIN
    SELECT min(place) FILTER (WHERE tokens < least_tokens OR cost + ${COST_TOLERANCE} < least_cost),
      min(place) FILTER (WHERE free_tokens < least_tokens OR free_cost + ${COST_TOLERANCE} < least_cost),
      least(most_tokens, min(free_tokens)), least(most_cost, min(free_cost))
    INTO spent, busy, most_tokens, most_cost FROM skein.budget_rooms_v1(asked -> 'limits', by_process);
    IF spent IS NOT NULL THEN RETURN jsonb_build_object('limit', spent, 'waits', false); END IF;
    IF busy IS NOT NULL THEN RETURN jsonb_build_object('limit', busy, 'waits', true); END IF;
    INSERT INTO skein.budget_shares AS b (scope, process, ends_at, server, held_tokens, held_cost)
    SELECT DISTINCT ON (l ->> 'scope') l ->> 'scope', by_process, (l ->> 'endsAt')::bigint, by_server, most_tokens, most_cost
    FROM jsonb_array_elements(asked -> 'limits') AS l
    ON CONFLICT (scope, process) DO UPDATE SET server = by_server,
      held_tokens = b.held_tokens + excluded.held_tokens, held_cost = b.held_cost + excluded.held_cost;
    RETURN jsonb_build_object('tokens', most_tokens, 'cost', most_cost);
  END $$;

  -- Writes the usage and reservations of the process, then processes the requests in order; returns their answers.
  CREATE FUNCTION skein.budget_v1(shares jsonb, asked jsonb, by_process text, by_server text) RETURNS jsonb
  LANGUAGE plpgsql AS $$
  DECLARE
    answers jsonb := '[]';
    one jsonb;
  BEGIN
    -- Locks in sorted order, so that two servers cannot deadlock. Settlements need no lock, because they only change the
    -- process's own rows.
    PERFORM pg_advisory_xact_lock(${LOCKS.budgets}, h.hash) FROM (
      SELECT DISTINCT hashtext(l ->> 'scope') AS hash
      FROM jsonb_array_elements(asked) AS a, jsonb_array_elements(a -> 'limits') AS l ORDER BY hash) AS h;
    INSERT INTO skein.budget_shares AS b (scope, process, ends_at, server, spent_tokens, spent_cost, held_tokens, held_cost)
    SELECT s.scope, by_process, s.ends_at, by_server, s.spent_tokens, s.spent_cost, s.held_tokens, s.held_cost
    FROM jsonb_to_recordset(shares) AS s(scope text, ends_at bigint, spent_tokens bigint, spent_cost double precision,
      held_tokens bigint, held_cost double precision)
    ON CONFLICT (scope, process) DO UPDATE SET server = by_server,
      spent_tokens = greatest(b.spent_tokens, excluded.spent_tokens),
      spent_cost = greatest(b.spent_cost, excluded.spent_cost),
      held_tokens = excluded.held_tokens, held_cost = excluded.held_cost;
    FOR one IN SELECT a FROM jsonb_array_elements(asked) WITH ORDINALITY AS e(a, place) ORDER BY place LOOP
      answers := answers || skein.reserve_v1(one, by_process, by_server);
    END LOOP;
    RETURN answers;
  END $$;
`;
