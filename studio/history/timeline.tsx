/** The checkpoints of a thread, newest first, separated by run. */
import type { CheckpointEntry } from '../data/threads/checkpoints.ts';
import { Clock } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';

interface TimelineProps {
  checkpoints: CheckpointEntry[];
  current: string;
}

export function Timeline({ checkpoints, current }: TimelineProps) {
  return (
    <ol className="timeline">
      {checkpoints.map((checkpoint, index) => {
        const { checkpoint_id, run_id, created_at } = checkpoint;
        const isFirstOfRun = run_id !== checkpoints[index - 1]?.run_id;
        return (
          <li key={checkpoint_id} data-run-begins={isFirstOfRun && index > 0}>
            <Link
              className="checkpoint"
              href={`?at=${encodeURIComponent(checkpoint_id)}`}
              aria-current={checkpoint_id === current ? 'step' : undefined}
            >
              <span className="row">
                <span className="name cut grow">{nameOf(checkpoint)}</span>
                <Clock at={created_at} />
              </span>
              <span className="muted cut">{placeOf(checkpoint)}</span>
            </Link>
          </li>
        );
      })}
    </ol>
  );
}

/** Whether the checkpoint only marks the arrival of a turn. The next one has the input in its state. */
export function isUnchanged({ source, next }: CheckpointEntry): boolean {
  return source === 'input' || (next.length === 1 && next[0] === '__start__');
}

/** The step and the next nodes. LangGraph numbers the input of a thread as step -1, and lists the start of a graph as a node. */
function placeOf({ step, next }: CheckpointEntry): string {
  const names = next.map((node) => (node === '__start__' ? 'start' : node));
  return [step < 0 ? '' : `step ${step}`, names.length > 0 ? `next ${names.join(', ')}` : '']
    .filter(Boolean)
    .join(' · ');
}

export function nameOf({ agent, source, next }: CheckpointEntry): string {
  if (agent) return agent;
  if (source === 'input') return 'input';
  if (source === 'update' || source === 'fork') return source;
  return next.length > 0 ? 'start' : 'end';
}
