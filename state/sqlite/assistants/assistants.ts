/** Assistants on SQLite. */
import type { Database } from 'bun:sqlite';
import { type AssistantRow, contentColumns, toAssistant, toVersion } from '../../driver/assistant-rows.ts';
import type { AssistantContent, AssistantStore } from '../../resources/assistants.ts';
import type { GroupCommit } from '../file/group-commit.ts';
import { assistantSearch } from './assistant-search.ts';
import { assistantStatements, versionsOf } from './assistant-statements.ts';

export function assistants(db: Database, commit: GroupCommit): AssistantStore {
  const sql = assistantStatements(db);
  /** Every run over LangGraph's protocol looks up its assistant. Skips the query if there are none, which is common. */
  let hasAny = sql.any.get() !== null;

  function addVersion(key: number, version: number, content: AssistantContent, at: number): void {
    sql.addVersion.run({ key, version, at, ...contentColumns(content) });
  }

  function write<T>(owner: string, assistantId: string, work: () => T): Promise<T> {
    return commit.write(`assistant ${assistantId} of ${owner}`, work);
  }

  function current(owner: string, assistantId: string): (AssistantRow & { key: number }) | undefined {
    return sql.find.get(owner, assistantId) ?? undefined;
  }

  return {
    create: (owner, assistantId, content, at) =>
      write(owner, assistantId, () => {
        hasAny = true;
        const created = sql.create.get(owner, assistantId, at);
        if (created) addVersion(created.key, 1, content, at);
        return created !== null;
      }),
    async find(owner, assistantId) {
      // No flush: callers that create an assistant wait for its commit, and a flush per run would break up group commits.
      const row = hasAny ? current(owner, assistantId) : undefined;
      return row && toAssistant(row);
    },
    async search(search) {
      commit.flush();
      const { rows, total } = assistantSearch(db, search);
      return { items: rows.map(toAssistant), total };
    },
    change: (owner, assistantId, change, at) =>
      write(owner, assistantId, () => {
        const row = current(owner, assistantId);
        if (!row) return undefined;
        const before = toAssistant(row);
        const metadata = { ...before.metadata, ...change.metadata };
        const version = (sql.newest.get(row.key)?.version ?? 0) + 1;
        addVersion(row.key, version, { ...before, ...change, metadata }, at);
        sql.setVersion.run(version, at, row.key);
        return { ...before, ...change, metadata, version, updatedAt: at };
      }),
    async versions(owner, assistantId, page) {
      commit.flush();
      const row = current(owner, assistantId);
      return row ? versionsOf(db, row.key, page).map((one) => toVersion(assistantId, one)) : [];
    },
    setVersion: (owner, assistantId, version, at) =>
      write(owner, assistantId, () => {
        const row = current(owner, assistantId);
        if (!row || !sql.version.get(row.key, version)) return false;
        sql.setVersion.run(version, at, row.key);
        return true;
      }),
    remove: (owner, assistantId) =>
      write(owner, assistantId, () => sql.remove.run(owner, assistantId).changes > 0),
  };
}
