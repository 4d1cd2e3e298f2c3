/** Preloaded into a service on PostgreSQL: kills it before or after the transaction that the file `kill-at` selects. */
import { beforeCommit, type Kind } from './kill-point.ts';
import './write-at-once.ts';

type Statement = [text: string, values?: unknown[]];

// A turn starts with empty outputs, and an agent adds its output.
const AGENT_FINISHED = /\\"outputs\\",\[/;
const CHANGES = /^\s*(?:INSERT|UPDATE|DELETE|WITH)\b|skein\.(?:accept|write|end|claim|release)_v/;

const { SQL } = Bun;

function watchedPool(...options: ConstructorParameters<typeof SQL>) {
  const pool = new SQL(...options);
  const unsafe = pool.unsafe.bind(pool) as (...statement: Statement) => Promise<unknown>;
  const begin = pool.begin.bind(pool) as unknown as (work: (tx: object) => unknown) => Promise<unknown>;
  return Object.assign(pool, {
    // A single statement is a transaction, so "before" means before it is sent.
    async unsafe(...statement: Statement) {
      const afterCommit = announced([statement]);
      const rows = await unsafe(...statement);
      afterCommit();
      return rows;
    },
    async begin(work: (tx: object) => unknown) {
      let afterCommit = () => {};
      const result = await begin(async (tx) => {
        const statements: Statement[] = [];
        const value = await work(recording(tx as { unsafe: typeof unsafe }, statements));
        afterCommit = announced(statements);
        return value;
      });
      afterCommit();
      return result;
    },
  });
}

function recording(tx: { unsafe(...statement: Statement): Promise<unknown> }, statements: Statement[]) {
  return {
    unsafe(...statement: Statement) {
      statements.push(statement);
      return tx.unsafe(...statement);
    },
  };
}

function announced(statements: Statement[]): () => void {
  const changes = statements.filter(([text]) => CHANGES.test(text));
  if (changes.length === 0) return () => {};
  const about = changes.map(([text]) => text.trim().slice(0, 40)).join(', ');
  return beforeCommit(kindOf(changes), about);
}

function kindOf(changes: Statement[]): Kind {
  const names = changes.map(([text]) => /skein\.(\w+)_v/.exec(text)?.[1]);
  if (names.includes('accept')) return 'accept';
  if (names.includes('end')) return 'end';
  return AGENT_FINISHED.test(changes.flatMap(([, values]) => values ?? []).join()) ? 'agent' : 'other';
}

Object.assign(Bun, { SQL: watchedPool });
