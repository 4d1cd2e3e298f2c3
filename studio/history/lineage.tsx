/** The ancestors and forks of a thread. */
import { listThreads, readThread, type Thread, type ThreadEntry } from '../data/threads/threads.ts';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';
import { useResource } from '../service/resources.ts';

export function Lineage({ thread }: { thread: Thread }) {
  const { data } = useResource(`threads:lineage:${thread.thread_id}`, () => lineageOf(thread));
  return (
    <nav className="row wrap small muted lineage" aria-label="Lineage">
      {data?.ancestors.map((one) => (
        <span key={one.thread_id}>
          <Relative thread={one} at={one.at} /> ›
        </span>
      ))}
      <code>{thread.thread_id}</code>
      {data && data.forks.length > 0 && <span>· forks:</span>}
      {data?.forks.map((fork) => (
        <Relative key={fork.thread_id} thread={fork} />
      ))}
    </nav>
  );
}

function Relative({ thread, at }: { thread: { thread_id: string; title: string }; at?: string }) {
  return (
    <Link href={address(['threads', thread.thread_id, 'history'], { at })} title={thread.title}>
      <code>{thread.thread_id.slice(0, 13)}</code>
    </Link>
  );
}

interface Ancestor {
  thread_id: string;
  title: string;
  /** The checkpoint that was forked. */
  at: string;
}

const MAX_ANCESTORS = 10;

/** Ancestors, oldest first, up to one that was deleted. Forks are only found among the latest threads. */
async function lineageOf(thread: Thread): Promise<{ ancestors: Ancestor[]; forks: ThreadEntry[] }> {
  const ancestors: Ancestor[] = [];
  let parent = thread.parent;
  while (parent && ancestors.length < MAX_ANCESTORS) {
    const { thread_id, checkpoint_id } = parent;
    const found = await readThread(thread_id).catch(() => undefined);
    ancestors.unshift({ thread_id, title: found?.title ?? 'deleted', at: checkpoint_id });
    parent = found?.parent ?? null;
  }
  const { threads } = await listThreads({});
  return { ancestors, forks: threads.filter((one) => one.parent?.thread_id === thread.thread_id) };
}
