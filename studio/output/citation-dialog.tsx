/** The dialog for a source: the cited passage and, for text documents, its place in the document. */
import { useEffect, useRef } from 'react';
import { Excerpt } from '../markdown/excerpt.tsx';
import { Dialog } from '../parts/dialog/dialog.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { useResource } from '../service/resources.ts';
import { askText } from '../service/service.ts';
import { type Citation, placeOf } from './citation.ts';

const TEXTS = /\.(?:md|txt|csv)$/i;

export function CitationDialog({ citation, close }: { citation: Citation; close(): void }) {
  const { document, quote, score } = citation;
  const place = placeOf(citation);
  return (
    <Dialog title={document} close={close}>
      <p className="muted small">
        {[place, score === null ? '' : `score ${score.toFixed(3)}`].filter(Boolean).join(' · ')}
      </p>
      <blockquote className="quote">
        <Excerpt document={document} text={quote} />
      </blockquote>
      {TEXTS.test(document) && <InDocument document={document} quote={quote} />}
    </Dialog>
  );
}

function InDocument({ document, quote }: { document: string; quote: string }) {
  const path = `/api/v1/knowledge/documents/${encodeURIComponent(document)}`;
  const { data, error } = useResource(`document:${document}`, () => askText(path));
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    if (data !== undefined) mark.current?.scrollIntoView({ block: 'center' });
  }, [data]);
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading />;
  const found = placeIn(data, quote);
  return (
    <details open>
      <summary className="small muted">In the document{found ? '' : ' (changed since this answer)'}</summary>
      <ScrollBox className="document-text" label="Document">
        <pre>
          {found ? (
            <>
              {data.slice(0, found.start)}
              <mark ref={mark}>{data.slice(found.start, found.end)}</mark>
              {data.slice(found.end)}
            </>
          ) : (
            data
          )}
        </pre>
      </ScrollBox>
    </details>
  );
}

/** Finds the quote in the text. White space may differ, because the text was split into passages. */
function placeIn(text: string, quote: string): { start: number; end: number } | undefined {
  const words = quote
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (words.length === 0) return undefined;
  const found = new RegExp(words.join('\\s+')).exec(text);
  return found ? { start: found.index, end: found.index + found[0].length } : undefined;
}
