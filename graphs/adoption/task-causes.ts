/** Determines which tasks started a task, from the writes to channels that LangGraph's saver receives. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { BaseCheckpointSaver, PendingWrite } from '@langchain/langgraph-checkpoint';
import type { CausesOf } from '../authoring/run/run-context.ts';

/** Represents LangGraph's own task that starts a graph's first nodes. */
const START_TASK = '__start__';

interface Written {
  /** The checkpoint from which the tasks started. */
  checkpoint: string;
  tasks: string[];
}

interface Sent {
  task: string;
  path: string;
  node: string;
}

const SENDS = '__pregel_tasks';
const PUSHED = '__pregel_push';

/** Observes the writes through `saver`, which belongs to one run. `resumes`: whether the run continues an earlier run. */
export function taskCauses(saver: BaseCheckpointSaver, { resumes }: { resumes: boolean }): CausesOf {
  /** By namespace and channel. */
  const written = new Map<string, Written>();
  /** By namespace, in LangGraph's order. */
  const sent = new Map<string, Sent[]>();
  /** The first checkpoint of each graph. The writes of its tasks are the start of the graph. */
  const inputs = new Set<string>();
  const known = new Map<string, string[]>();

  function note(config: RunnableConfig, writes: PendingWrite[], task: string, path: string): void {
    const { checkpoint_ns: ns = '', checkpoint_id: checkpoint = '' } = config.configurable ?? {};
    const writer = inputs.has(checkpoint) ? START_TASK : task;
    for (const [channel, value] of writes) {
      if (channel === SENDS) send(ns, { task: writer, path, node: (value as { node: string }).node });
      else write(ns, channel, { checkpoint, tasks: [writer] });
    }
  }

  function send(ns: string, packet: Sent): void {
    const packets = [...(sent.get(ns) ?? []), packet];
    sent.set(
      ns,
      packets.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    );
  }

  /** A value that starts a specific node stays until that node has run. For other channels, only the latest writers count. */
  function write(ns: string, channel: string, { checkpoint, tasks }: Written): void {
    const key = keyOf(ns, channel);
    const before = written.get(key);
    const isAdded = before && (startsOne(channel) || before.checkpoint === checkpoint);
    written.set(key, { checkpoint, tasks: isAdded ? [...before.tasks, ...tasks] : tasks });
  }

  function found(ns: string, node: string, triggers: string[]): string[] {
    const tasks = triggers.flatMap((channel) => {
      if (channel === PUSHED) return taken(ns, node);
      const by = written.get(keyOf(ns, channel))?.tasks ?? [];
      if (startsOne(channel)) written.delete(keyOf(ns, channel));
      return by;
    });
    return [...new Set(tasks)];
  }

  function taken(ns: string, node: string): string[] {
    const packets = sent.get(ns) ?? [];
    const at = packets.findIndex((packet) => packet.node === node);
    return at < 0 ? [] : packets.splice(at, 1).map(({ task }) => task);
  }

  const { put, putWrites, getTuple } = saver;
  saver.put = (config, checkpoint, metadata, versions) => {
    if (metadata.source === 'input') inputs.add(checkpoint.id);
    return put.call(saver, config, checkpoint, metadata, versions);
  };
  saver.putWrites = (config, writes, task, path = '') => {
    note(config, writes, task, path);
    return putWrites.call(saver, config, writes, task, path);
  };
  if (resumes) {
    saver.getTuple = async (config) => {
      const tuple = await getTuple.call(saver, config);
      const { parentConfig } = tuple ?? {};
      const before = parentConfig && (await getTuple.call(saver, parentConfig));
      if (!before) return tuple;
      if (before.metadata?.source === 'input') inputs.add(before.checkpoint.id);
      for (const [task, channel, value] of before.pendingWrites ?? [])
        note(before.config, [[channel, value]], task, '');
      return tuple;
    };
  }
  return ({ ns = [], node = '', taskId = '' }, triggers = []) => {
    const causes = known.get(taskId) ?? found(ns.join('|'), node, triggers);
    known.set(taskId, causes);
    return causes.length > 0 ? { from: causes } : {};
  };
}

/** LangGraph names the channels that start one node `branch:to:<node>` and `join:<a>+<b>:<node>`. */
function startsOne(channel: string): boolean {
  return channel.startsWith('branch:to:') || channel.startsWith('join:');
}

function keyOf(ns: string, channel: string): string {
  return `${ns} ${channel}`;
}
