/** The queue of webhook deliveries. A settled delivery keeps its attempts for a week, but not its content. */

export const WEBHOOK_TABLES = `
  CREATE TABLE webhook_deliveries (
    seq INTEGER PRIMARY KEY, delivery_id TEXT NOT NULL UNIQUE,
    thread INTEGER NOT NULL REFERENCES threads (key) ON DELETE CASCADE, run_id TEXT NOT NULL,
    url TEXT NOT NULL, run TEXT, head TEXT, state TEXT NOT NULL DEFAULT 'waiting',
    attempts TEXT NOT NULL DEFAULT '[]', due_at INTEGER NOT NULL, held_until INTEGER NOT NULL DEFAULT 0,
    settled_at INTEGER
  );
  CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (due_at) WHERE state = 'waiting';
  CREATE INDEX webhook_deliveries_settled ON webhook_deliveries (settled_at) WHERE settled_at IS NOT NULL;
  CREATE INDEX webhook_deliveries_by_thread ON webhook_deliveries (thread);
  CREATE INDEX webhook_deliveries_by_run ON webhook_deliveries (run_id);
  `;
