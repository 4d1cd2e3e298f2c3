/** Compares two threads or two runs. */

import { Empty } from '../parts/states.tsx';
import type { PageProps } from '../routing/page-props.ts';
import { changeQuery } from '../routing/router.ts';
import { CompareRuns } from './compare-runs.tsx';
import { CompareThreads } from './compare-threads.tsx';
import { Picker } from './picker.tsx';
import './compare.css';

export interface Side {
  kind: 'run' | 'thread';
  id: string;
}

export default function ComparePage({ query }: PageProps) {
  const [left, right] = [sideOf(query.get('left')), sideOf(query.get('right'))];
  const kind = left?.kind ?? right?.kind ?? 'run';
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <h1 className="grow">Compare {kind === 'run' ? 'runs' : 'threads'}</h1>
          <fieldset className="row" aria-label="Compare">
            {(['run', 'thread'] as const).map((one) => (
              <button
                key={one}
                type="button"
                className="button"
                aria-pressed={one === kind}
                onClick={() => one !== kind && changeQuery({ left: `${one}:`, right: undefined })}
              >
                {one === 'run' ? 'Runs' : 'Threads'}
              </button>
            ))}
          </fieldset>
        </header>
        <div className="compare-sides">
          <Picker
            kind={kind}
            label="Left"
            value={left?.id ?? ''}
            choose={(id) => changeQuery({ left: `${kind}:${id}` })}
          />
          <Picker
            kind={kind}
            label="Right"
            value={right?.id ?? ''}
            choose={(id) => changeQuery({ right: `${kind}:${id}` })}
          />
        </div>
        {left?.id && right?.id && left.kind === right.kind ? (
          kind === 'run' ? (
            <CompareRuns left={left.id} right={right.id} />
          ) : (
            <CompareThreads left={left.id} right={right.id} />
          )
        ) : (
          <Empty title={`Select two ${kind}s`}>
            <p className="small">They are shown side by side, with the differences marked.</p>
          </Empty>
        )}
      </div>
    </div>
  );
}

function sideOf(text: string | null): Side | undefined {
  const [, kind, id] = /^(run|thread):(.*)$/.exec(text ?? '') ?? [];
  return kind === 'run' || kind === 'thread' ? { kind, id: id ?? '' } : undefined;
}
