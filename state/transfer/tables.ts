/**
 * The tables of a state and their columns: the common form of rows in copies. `shapes.ts` converts rows that a driver stores
 * in another form. Tables and columns that are only valid for running processes, such as claims, are left out.
 */

/** `json`: text that PostgreSQL parses. */
export type Kind = 'text' | 'json' | 'number' | 'real' | 'bytes';

export interface Table {
  name: string;
  columns: Readonly<Record<string, Kind>>;
  /** ORDER BY. `orderOnPostgres` replaces `rowid`, which PostgreSQL lacks. */
  order: string;
  orderOnPostgres?: string;
  /** The column whose values the database assigns. */
  numbered?: string;
}

/** Sorted so that rows are inserted after the rows to which they refer. */
export const TABLES: readonly Table[] = [
  {
    name: 'threads',
    columns: {
      ...columns('number', 'key'),
      ...columns('text', 'owner thread_id title'),
      ...columns('json', 'metadata'),
      ...columns('text', 'workflow head memory interrupt interrupt_run interrupt_since'),
      ...columns('json', 'interrupt_writes'),
      ...columns('number', 'message_count failed'),
      ...columns('text', 'parent'),
      ...columns('number', 'parent_key'),
      ...columns('text', 'parent_checkpoint'),
      ...columns('number', 'last_seq keeps_all temporary ttl'),
      ...columns('text', 'ttl_strategy'),
      ...columns('number', 'ttl_since pruned_at created_at updated_at'),
    },
    order: 'key',
    numbered: 'key',
  },
  {
    name: 'runs',
    columns: {
      ...columns('number', 'seq'),
      ...columns('text', 'run_id'),
      ...columns('number', 'thread'),
      ...columns('text', 'owner message_id workflow status request'),
      ...columns('number', 'attempt deaths'),
      ...columns('text', 'deaths_newest'),
      ...columns('number', 'lease'),
      ...columns('text', 'stop'),
      ...columns('number', 'created_at not_before started_at finished_at input_tokens output_tokens'),
      ...columns('text', 'models agents result error'),
    },
    order: 'seq',
    numbered: 'seq',
  },
  {
    name: 'messages',
    columns: {
      ...columns('number', 'seq'),
      ...columns('text', 'message_id'),
      ...columns('number', 'thread'),
      ...columns('text', 'run_id workflow role content status user_id outputs'),
      ...columns('number', 'token_count created_at'),
    },
    order: 'seq',
    numbered: 'seq',
  },
  { name: 'feedback', columns: columns('text', 'message_id body'), order: 'message_id' },
  {
    name: 'events',
    columns: {
      ...columns('text', 'run_id'),
      ...columns('number', 'first last chat_first chat_last thread seq created_at'),
      ...columns('text', 'body'),
    },
    order: 'rowid',
    orderOnPostgres: 'created_at, run_id, first',
  },
  {
    name: 'state_changes',
    columns: {
      ...columns('number', 'thread seq'),
      ...columns('text', 'checkpoint'),
      ...columns('number', 'created_at'),
    },
    order: 'rowid',
    orderOnPostgres: 'created_at, thread, seq',
  },
  {
    name: 'idempotency',
    columns: { ...columns('text', 'owner key digest run_id'), ...columns('number', 'created_at') },
    order: 'owner, key',
  },
  {
    name: 'checkpoints',
    columns: {
      ...columns('text', 'thread ns id parent run_id'),
      ...columns('json', 'versions'),
      ...columns('text', 'body metadata'),
      ...columns('json', 'deltas'),
    },
    order: 'thread, ns, id',
  },
  {
    name: 'checkpoint_values',
    columns: columns('text', 'thread ns channel version value elements'),
    order: 'thread, ns, channel, version',
  },
  {
    name: 'checkpoint_elements',
    columns: {
      ...columns('text', 'thread channel'),
      ...columns('number', 'seq'),
      ...columns('text', 'value'),
    },
    order: 'thread, channel, seq',
  },
  {
    name: 'checkpoint_writes',
    columns: columns('text', 'thread ns id task writes path'),
    order: 'thread, ns, id, task',
  },
  {
    name: 'checkpoint_deltas',
    columns: {
      ...columns('text', 'thread ns id parent'),
      ...columns('json', 'versions'),
      ...columns('text', 'writes'),
    },
    order: 'thread, ns, id',
  },
  {
    name: 'spent_tokens',
    columns: { ...columns('text', 'id'), ...columns('number', 'since keep_until') },
    order: 'id',
  },
  { name: 'document_authors', columns: columns('text', 'document author'), order: 'document' },
  {
    name: 'items',
    columns: {
      ...columns('number', 'seq'),
      ...columns('text', 'owner namespace key'),
      ...columns('json', 'value'),
      ...columns('number', 'created_at updated_at ttl expires_at'),
    },
    order: 'seq',
    numbered: 'seq',
  },
  {
    name: 'item_vectors',
    columns: {
      ...columns('number', 'item'),
      ...columns('text', 'embedder'),
      ...columns('number', 'dims'),
      ...columns('bytes', 'data'),
    },
    order: 'item',
  },
  {
    name: 'assistants',
    columns: {
      ...columns('number', 'key'),
      ...columns('text', 'owner assistant_id'),
      ...columns('number', 'version created_at updated_at'),
    },
    order: 'key',
    numbered: 'key',
  },
  {
    name: 'assistant_versions',
    columns: {
      ...columns('number', 'assistant version'),
      ...columns('text', 'graph name folded_name description'),
      ...columns('json', 'config context metadata'),
      ...columns('number', 'created_at'),
    },
    order: 'assistant, version',
  },
  {
    name: 'webhook_deliveries',
    columns: {
      ...columns('number', 'seq'),
      ...columns('text', 'delivery_id'),
      ...columns('number', 'thread'),
      ...columns('text', 'run_id url run head state'),
      ...columns('json', 'attempts'),
      ...columns('number', 'due_at settled_at'),
    },
    order: 'seq',
    numbered: 'seq',
  },
  {
    name: 'crons',
    columns: {
      ...columns('number', 'seq'),
      ...columns('text', 'cron_id owner owner_name assistant_id'),
      ...columns('number', 'thread'),
      ...columns('text', 'thread_id schedule timezone'),
      ...columns('number', 'enabled end_time'),
      ...columns('text', 'on_run_completed'),
      ...columns('json', 'payload metadata'),
      ...columns('number', 'next_at created_at updated_at'),
    },
    order: 'seq',
    numbered: 'seq',
  },
  {
    name: 'usage',
    columns: {
      ...columns('text', 'owner day workflow model'),
      ...columns('number', 'slot runs input_tokens output_tokens'),
      ...columns('real', 'cost'),
    },
    order: 'owner, day, workflow, model, slot',
  },
  {
    name: 'budget_shares',
    columns: {
      ...columns('text', 'scope process'),
      ...columns('number', 'ends_at spent_tokens'),
      ...columns('real', 'spent_cost'),
    },
    order: 'scope, process',
  },
  { name: 'cron_threads', columns: columns('text', 'run_id owner thread_id'), order: 'run_id' },
];

function columns(kind: Kind, names: string): Record<string, Kind> {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]));
}
