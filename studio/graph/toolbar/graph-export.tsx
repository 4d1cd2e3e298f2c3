/** Exports the graph as SVG, PNG or Mermaid. */
import { useState } from 'react';
import { readMermaid } from '../../data/workflows.ts';
import { download } from '../../download.ts';
import { graphPng, graphSvg, type RenderedGraph } from './graph-svg.ts';

export function GraphExport({ workflow, rendered }: { workflow: string; rendered: RenderedGraph }) {
  const [problem, setProblem] = useState<string>();

  async function exportAs(format: string) {
    try {
      if (format === 'svg') download(`${workflow}.svg`, graphSvg(rendered), 'image/svg+xml');
      if (format === 'png') download(`${workflow}.png`, await graphPng(graphSvg(rendered)));
      if (format === 'mermaid') download(`${workflow}.mmd`, await readMermaid(workflow, true));
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  }

  return (
    <>
      <select
        className="field"
        aria-label="Export graph"
        value=""
        onChange={(event) => void exportAs(event.target.value)}
      >
        <option value="">Export</option>
        <option value="svg">SVG</option>
        <option value="png">PNG</option>
        <option value="mermaid">Mermaid</option>
      </select>
      {problem && (
        <span className="small" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
