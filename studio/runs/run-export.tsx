/** Exports a run as JSON or as an OTLP trace, and copies a link to it. */
import { useState } from 'react';
import { isOver } from '../data/runs/run-ended.ts';
import { readCalls, readRun, readTrace } from '../data/runs/runs.ts';
import { download } from '../download.ts';
import { fileName } from '../file-name.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import type { KnownRun } from '../run/use-run.ts';

interface RunExportProps {
  runId: string;
  known: Pick<KnownRun, 'run' | 'log' | 'view'>;
}

export function RunExport({ runId, known }: RunExportProps) {
  const [problem, setProblem] = useState<string>();
  const { run, view } = known;
  const isLoading = run !== undefined && isOver(run) && !view?.ended && !view?.failure;

  async function exportAs(format: string) {
    try {
      const name = `${format}-${fileName(runId, 'of-a-run')}.json`;
      const content = format === 'run' ? await everythingOf(runId, known) : await readTrace(runId);
      download(name, JSON.stringify(content, null, 2), 'application/json');
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }
  return (
    <>
      <select
        className="field"
        aria-label="Export run"
        value=""
        disabled={isLoading}
        onChange={(event) => void exportAs(event.target.value)}
      >
        <option value="">Export</option>
        <option value="run">JSON</option>
        <option value="trace">Trace (OTLP)</option>
      </select>
      <CopyButton text={() => location.href} label="Copy link" />
      {problem && (
        <span className="small" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}

/** `complete` is false if the run is still active or its events are no longer kept. */
async function everythingOf(runId: string, { log, view }: RunExportProps['known']) {
  const [run, calls] = await Promise.all([readRun(runId), readCalls(runId)]);
  const events = { complete: view?.ended ?? false, events: [...log] };
  return { exported_at: new Date().toISOString(), run, calls, events };
}
