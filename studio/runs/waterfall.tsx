/** A waterfall of a run's agents, steps, model calls and tool calls over time. */
import { type CSSProperties, useEffect, useMemo, useState } from 'react';
import { isOver } from '../data/runs/run-ended.ts';
import type { ModelCall } from '../data/runs/run-view.ts';
import type { TurnPart } from '../data/runs/turn.ts';
import { durationText } from '../parts/formats/time.tsx';
import type { SelectedNode } from '../run/use-selected-node.ts';
import { useConnection } from '../service/connection.ts';
import { asideRows, extentOf, turnRows, type WaterfallRow } from './waterfall-rows.ts';
import './waterfall.css';

interface WaterfallProps {
  parts: TurnPart[];
  waits: boolean;
  /** Calls that belong to no agent. */
  asides: ModelCall[];
  chosen: SelectedNode;
  choose(node: string, execution: number | undefined): void;
}

export function Waterfall({ parts, waits, asides, chosen, choose }: WaterfallProps) {
  const rows = useMemo(() => [...turnRows(parts, waits), ...asideRows(asides)], [parts, waits, asides]);
  const runs = parts.map(({ run }) => run);
  const isKnown = useConnection() === 'open';
  const now = useNow(isKnown && runs.some((run) => !isOver(run)));
  const { start, end } = extentOf(runs, rows, now);
  const place = (time: number) => `${((time - start) / (end - start)) * 100}%`;
  return (
    <div className="waterfall">
      <div className="axis" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{durationText((end - start) * share)}</span>
        ))}
      </div>
      <ul aria-label="Waterfall">
        {rows.map((row) => (
          <li key={row.key}>
            <button
              type="button"
              className="waterfall-row"
              style={{ '--depth': row.depth } as CSSProperties}
              aria-pressed={isChosen(row, chosen)}
              disabled={row.node === undefined}
              onClick={() => row.node && choose(row.node, row.execution)}
            >
              <span className="label cut" data-kind={row.kind}>
                {row.label}
                {row.number !== undefined && <span className="muted"> #{row.number}</span>}
              </span>
              <span className="track">
                <span
                  className="bar"
                  data-kind={row.kind}
                  data-state={row.state}
                  style={{
                    left: place(row.start),
                    width: `calc(${place(start + (row.end ?? now) - row.start)} + 2px)`,
                  }}
                >
                  {row.mark !== undefined && (
                    <span className="mark" style={{ left: shareOf(row, row.mark) }} title="First token" />
                  )}
                </span>
              </span>
              <span className="took">
                {row.end === undefined ? '…' : durationText(row.end - row.start)}
                {row.tokens > 0 && <span className="muted"> {row.tokens.toLocaleString()} tok</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function isChosen({ node, execution }: WaterfallRow, chosen: SelectedNode): boolean {
  return node !== undefined && node === chosen.node && execution === chosen.execution;
}

function shareOf({ start, end }: WaterfallRow, time: number): string {
  return `${((time - start) / Math.max(1, (end ?? time) - start)) * 100}%`;
}

/** The current time, updated while `isActive`. */
function useNow(isActive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, [isActive]);
  return now;
}
