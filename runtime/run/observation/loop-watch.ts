/** Logs which node blocks the event loop: a blocked loop delays all responses and the renewal of leases. */
import type { Logger } from 'pino';
import type { NewEntry } from '../../../state/threads/events.ts';

export interface LoopWatch {
  /** Takes each entry of a run's log, to know which nodes are executing. */
  note(run: WatchedRun, entry: NewEntry): void;
  /** Call it when the run has ended. */
  forget(runId: string): void;
  stop(): void;
}

interface WatchedRun {
  runId: string;
  workflow: string;
}

interface Task extends WatchedRun {
  node: string;
  /** The ids of the enclosing tasks. */
  within: string[];
}

const LOOK_MS = 100;
const BLOCKED_MS = 1_000;
/** The most nodes that one log message names. */
const MAX_NAMES = 5;

/** Calls `delayed` with the delay of each timer, in seconds. */
export function watchLoop(log: Logger, delayed: (seconds: number) => void = () => {}): LoopWatch {
  /** By the id of the task. */
  const tasks = new Map<string, Task>();
  let turned = performance.now();
  let due = turned + LOOK_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    delayed(Math.max(0, now - due) / 1000);
    due = now + LOOK_MS;
    look();
  }, LOOK_MS);
  timer.unref();

  /** `ending`: a node that ends. Its end runs before pending timers and sockets, so this node caused the block just before. */
  function look(ending?: Task): void {
    const now = performance.now();
    const milliseconds = Math.round(now - turned);
    turned = now;
    if (milliseconds < BLOCKED_MS + LOOK_MS) return;
    const suspects = ending ? [ending] : innermost();
    const [first, ...others] = suspects.map(({ runId, workflow, node }) => ({
      workflow,
      node,
      run_id: runId,
    }));
    if (!first) return;
    if (others.length === 0) log.warn({ ...first, milliseconds }, 'a node has blocked the event loop');
    else
      log.warn(
        { nodes: [first, ...others].slice(0, MAX_NAMES), count: suspects.length, milliseconds },
        'one of the executing nodes has blocked the event loop',
      );
  }

  /** The executing nodes, without those that wait for a node of their subgraph. */
  function innermost(): Task[] {
    const around = new Set([...tasks.values()].flatMap(({ within }) => within));
    return [...tasks].flatMap(([id, task]) => (around.has(id) ? [] : [task]));
  }

  return {
    note({ runId, workflow }, { kind, node = '', taskId, ns = [] }) {
      if (taskId === undefined) return;
      if (kind === 'task') {
        const within = ns.map((one) => one.slice(one.lastIndexOf(':') + 1));
        tasks.set(taskId, { runId, workflow, node, within });
      } else if (kind === 'task_end') {
        look(tasks.get(taskId));
        tasks.delete(taskId);
      }
    },
    forget(runId) {
      for (const [id, task] of tasks) if (task.runId === runId) tasks.delete(id);
    },
    stop: () => clearInterval(timer),
  };
}
