/** A caller's assistants: the default assistant of each graph, and those that the caller created. */

import { SkeinError } from '../../state/errors.ts';
import type {
  AssistantContent,
  AssistantSearch,
  AssistantStore,
  AssistantVersion,
  StoredAssistant,
  VersionPage,
} from '../../state/resources/assistants.ts';
import { type SystemParts, systemAssistants } from './system-assistants.ts';

export interface AssistantsParts extends SystemParts {
  store: AssistantStore;
  /** Deletes the caller's threads that belong to an assistant. */
  deleteThreads(owner: string, assistantId: string): Promise<void>;
}

type NewAssistant = AssistantContent & { assistantId?: string | undefined };

/**
 * An `id` is an assistant's id, or the name of a graph for its default assistant. If a caller changes a default assistant,
 * the caller gets a copy under the same id and other callers keep the original. Methods throw WORKFLOW_NOT_FOUND for an
 * unknown assistant, for another caller's assistant, and for an unknown graph.
 */
export interface Assistants {
  find(owner: string, id: string): Promise<StoredAssistant | undefined>;
  search(search: Omit<AssistantSearch, 'others'>): ReturnType<AssistantStore['search']>;
  /** If the id exists, throws ASSISTANT_EXISTS with `ifExists: 'raise'`, otherwise returns the existing assistant. */
  create(owner: string, given: NewAssistant, ifExists: 'raise' | 'do_nothing'): Promise<StoredAssistant>;
  /** Creates a new version; metadata is merged. */
  change(owner: string, id: string, change: Partial<AssistantContent>): Promise<StoredAssistant>;
  versions(owner: string, id: string, page: VersionPage): Promise<AssistantVersion[]>;
  setVersion(owner: string, id: string, version: number): Promise<StoredAssistant>;
  /**
   * Returns the deleted assistant's id. For a default assistant, deletes the caller's copy, or throws INVALID_REQUEST if
   * there is no copy.
   */
  remove(owner: string, id: string, options: { threads: boolean }): Promise<string>;
}

export function createAssistants(parts: AssistantsParts): Assistants {
  const { store, deleteThreads } = parts;
  const system = systemAssistants(parts);

  function idOf(id: string): string {
    return system.find(({ graph }) => graph === id)?.assistantId ?? id.toLowerCase();
  }

  async function find(owner: string, id: string): Promise<StoredAssistant | undefined> {
    const known = idOf(id);
    return (await store.find(owner, known)) ?? system.find(({ assistantId }) => assistantId === known);
  }

  async function found(owner: string, id: string): Promise<StoredAssistant> {
    const assistant = await find(owner, id);
    if (!assistant) throw notFound();
    return assistant;
  }

  function isSystem(id: string): boolean {
    return system.some(({ assistantId }) => assistantId === id);
  }

  function refuseUnknown(graph: string): void {
    if (system.some((one) => one.graph === graph)) return;
    const shown = /^[\w-]{1,64}$/.test(graph) ? ` "${graph}"` : '';
    const graphs = system.map((one) => one.graph).join(', ');
    throw new SkeinError('WORKFLOW_NOT_FOUND', { detail: `Graph${shown} not found. Available: ${graphs}` });
  }

  return {
    find,
    search: (search) => store.search({ ...search, others: system }),
    async create(owner, { assistantId: givenId, ...content }, ifExists) {
      refuseUnknown(content.graph);
      const id = givenId?.toLowerCase() ?? Bun.randomUUIDv7();
      const isNew = !isSystem(id) && (await store.create(owner, id, content, Date.now()));
      if (!isNew && ifExists === 'raise')
        throw new SkeinError('ASSISTANT_EXISTS', { detail: 'Assistant already exists' });
      return found(owner, id);
    },
    async change(owner, id, change) {
      const before = await found(owner, id);
      if (change.graph !== undefined) refuseUnknown(change.graph);
      // The default assistant is the first version of the caller's copy.
      if (isSystem(before.assistantId))
        await store.create(owner, before.assistantId, before, before.createdAt);
      const changed = await store.change(owner, before.assistantId, change, Date.now());
      if (!changed) throw notFound();
      return changed;
    },
    async versions(owner, id, page) {
      const current = await found(owner, id);
      const isStored = (await store.find(owner, current.assistantId)) !== undefined;
      return isStored ? store.versions(owner, current.assistantId, page) : onlyVersion(current, page);
    },
    async setVersion(owner, id, version) {
      const before = await found(owner, id);
      if (await store.setVersion(owner, before.assistantId, version, Date.now())) return found(owner, id);
      if (before.version === version) return before;
      throw new SkeinError('WORKFLOW_NOT_FOUND', { detail: 'Assistant version not found' });
    },
    async remove(owner, id, { threads }) {
      const { assistantId } = await found(owner, id);
      if (!(await store.find(owner, assistantId)))
        throw new SkeinError('INVALID_REQUEST', { detail: "A graph's own assistant cannot be deleted" });
      if (threads) await deleteThreads(owner, assistantId);
      await store.remove(owner, assistantId);
      return assistantId;
    },
  };
}

/** The page of versions of an unchanged default assistant, which has one version. */
function onlyVersion(
  { updatedAt: _, ...version }: StoredAssistant,
  { metadata = {}, offset }: VersionPage,
): AssistantVersion[] {
  const isAsked = Object.entries(metadata).every(([key, value]) =>
    Bun.deepEquals(version.metadata[key], value),
  );
  return isAsked && offset === 0 ? [version] : [];
}

function notFound(): SkeinError {
  return new SkeinError('WORKFLOW_NOT_FOUND', { detail: 'Assistant not found' });
}
