/** POST /internal/truncate: deletes a caller's data between tests. Exists only in test builds. */
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import type { Services } from '../services.ts';

const Flag = Type.Optional(Type.Boolean());
const Truncate = Type.Object(
  { runs: Flag, threads: Flag, assistants: Flag, store: Flag, checkpointer: Flag, checkpoint: Flag },
  { title: 'Truncate', additionalProperties: true },
);

const PAGE = 100;

/** A test build is a process that runs with NODE_ENV=test. */
export const truncateRoutes = (services: Services) => {
  const routes = new Elysia({ name: 'langgraph-truncate' });
  if (!services.isTestBuild) return routes;
  return routes.post(
    '/internal/truncate',
    async ({ body, request }) => {
      const owner = ownerOf(request);
      if (body.threads || body.runs) await deleteThreads(services, owner);
      if (body.assistants) await deleteAssistants(services, owner);
      if (body.store) await deleteItems(services, owner);
      return { ok: true };
    },
    {
      ...{ parse: 'json', body: Truncate, response: { 200: Type.Object({ ok: Type.Boolean() }) } },
      detail: { hide: true },
    },
  );
};

async function deleteThreads({ archive, state }: Services, owner: string): Promise<void> {
  const search = { owner, sortBy: 'created_at' as const, descending: true, limit: PAGE, offset: 0 };
  for (;;) {
    const items = await archive.threads.search(search);
    if (items.length === 0) return;
    for (const { key } of items) {
      do while ((await state.coordination.closeThread(key)).length > 0) await Bun.sleep(5);
      while (!(await archive.removal.thread(key)));
    }
  }
}

async function deleteAssistants({ assistants }: Services, owner: string): Promise<void> {
  const search = { owner, sortBy: 'created_at' as const, descending: true, limit: 1000, offset: 0 };
  const { items } = await assistants.search(search);
  for (const { assistantId } of items)
    await assistants.remove(owner, assistantId, { threads: false }).catch(() => {});
}

async function deleteItems({ runtime }: Services, owner: string): Promise<void> {
  const store = runtime.storeOf(owner);
  for (const namespace of await store.listNamespaces({ limit: PAGE })) {
    for (const { key } of await store.search(namespace, { limit: PAGE })) await store.delete(namespace, key);
  }
}
