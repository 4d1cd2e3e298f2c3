/** The output of an agent: its answer, and a view of its structured result. */
import { useState } from 'react';
import { Markdown } from '../markdown/markdown.tsx';
import { Json } from '../parts/json/json.tsx';
import { type Citation, citationsIn } from './citation.ts';
import { CitationDialog } from './citation-dialog.tsx';
import { Classification, classificationIn } from './classification.tsx';
import { Sources } from './sources.tsx';
import { proseOf, sqlResultIn } from './sql-result.ts';
import { SqlResult } from './sql-table.tsx';
import './output.css';

export interface Output {
  agent: string;
  content: string;
  data: unknown;
}

export function AgentOutput({ output, named }: { output: Output; named: boolean }) {
  const { agent, content, data } = output;
  const [opened, setOpened] = useState<Citation>();
  const citations = citationsIn(data);
  const sql = sqlResultIn(data);
  const classified = classificationIn(data);
  const cite = citations && ((number: number) => sourceOf(citations, number, setOpened));
  const known = citations || sql || classified || data === null || data === undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div className="output" role="group" aria-label={agent}>
      {named && (
        <div className="output-head">
          <span className="name">{agent}</span>
        </div>
      )}
      {classified && <Classification result={classified} />}
      {!(classified && named) && content !== '' && (
        <Markdown text={sql ? proseOf(content, sql) : content} cite={cite} />
      )}
      {sql && <SqlResult result={sql} />}
      {citations && citations.length > 0 && <Sources citations={citations} open={setOpened} />}
      {!known && (
        <details open={content === ''}>
          <summary className="small muted">Structured result</summary>
          <Json value={data} />
        </details>
      )}
      {opened && <CitationDialog citation={opened} close={() => setOpened(undefined)} />}
    </div>
  );
}

function sourceOf(citations: Citation[], number: number, open: (citation: Citation) => void) {
  const citation = citations.find(({ n }) => n === number);
  return citation && { title: citation.document, open: () => open(citation) };
}
