/**
 * The table and function of usage. Each connection has a slot and counts in separate rows, because otherwise all ends of a
 * caller's runs would wait for the lock of one row.
 */
export const USAGE = `
  CREATE TABLE skein.usage (
    owner text NOT NULL, day text COLLATE "C" NOT NULL, workflow text COLLATE "C" NOT NULL, model text COLLATE "C" NOT NULL,
    slot smallint NOT NULL DEFAULT 0,
    runs bigint NOT NULL, input_tokens bigint NOT NULL, output_tokens bigint NOT NULL, cost double precision NOT NULL,
    PRIMARY KEY (owner, day, workflow, model, slot)
  );
  CREATE INDEX usage_by_day ON skein.usage (day);

  -- Counts an ended run, before its row may be deleted. The rows must be sorted by model.
  CREATE FUNCTION skein.count_usage_v1(id text, on_day text, rows jsonb) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO skein.usage AS u (owner, day, workflow, model, slot, runs, input_tokens, output_tokens, cost)
    SELECT r.owner, on_day, r.workflow, n ->> 'model', pg_backend_pid() % 64, 1,
      (n ->> 'input_tokens')::bigint, (n ->> 'output_tokens')::bigint, (n ->> 'cost')::double precision
    FROM skein.runs AS r, jsonb_array_elements(rows) WITH ORDINALITY AS one(n, place)
    WHERE r.run_id = id ORDER BY place
    ON CONFLICT (owner, day, workflow, model, slot) DO UPDATE SET runs = u.runs + 1,
      input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
      cost = u.cost + excluded.cost;
  END $$;
`;
