/** The documents page: the documents of the knowledge base, uploads and search. */
import { type DragEvent, useId, useRef, useState } from 'react';
import type { Passage } from '../data/knowledge.ts';
import { CitationDialog } from '../output/citation-dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import type { PageProps } from '../routing/page-props.ts';
import { DocumentDialog } from './document-dialog.tsx';
import { DocumentList } from './document-list.tsx';
import { SearchPanel } from './search-panel.tsx';
import { UploadList } from './upload-list.tsx';
import { ENDINGS } from './upload-name.ts';
import { useUploads } from './uploads.ts';
import '../output/output.css';
import './knowledge.css';

export default function KnowledgePage({ query }: PageProps) {
  const uploads = useUploads();
  const [dragging, setDragging] = useState(false);
  const [document, setDocument] = useState<string>();
  const [passage, setPassage] = useState<Passage>();
  const searched = query.get('q') ?? '';

  function drop(event: DragEvent) {
    event.preventDefault();
    setDragging(false);
    uploads.add(event.dataTransfer.files);
  }
  function over(event: DragEvent) {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setDragging(true);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the upload button does the same
    <div
      className="page knowledge"
      data-dragging={dragging}
      onDragOver={over}
      onDragLeave={(event) => event.currentTarget === event.target && setDragging(false)}
      onDrop={drop}
    >
      <div className="inner">
        <header className="page-head">
          <div className="grow">
            <h1>Documents</h1>
            <p className="muted small">
              Workflows search these documents. Drop files on this page to add them.
            </p>
          </div>
          <UploadButton add={uploads.add} />
        </header>
        <SearchPanel key={searched} query={searched} open={setPassage} />
        <UploadList {...uploads} />
        <DocumentList open={setDocument} />
      </div>
      {dragging && <p className="drop-hint">Drop to upload</p>}
      {document !== undefined && <DocumentDialog name={document} close={() => setDocument(undefined)} />}
      {passage && <CitationDialog citation={citationOf(passage)} close={() => setPassage(undefined)} />}
    </div>
  );
}

function citationOf({ document, heading, page, text, scores }: Passage) {
  return { n: 1, document, heading, page, score: scores.fused, quote: text };
}

function UploadButton({ add }: { add(files: Iterable<File>): void }) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  return (
    <>
      <label className="visually-hidden" htmlFor={id}>
        Files to upload
      </label>
      <input
        ref={field}
        id={id}
        className="visually-hidden"
        type="file"
        multiple
        tabIndex={-1}
        accept={ENDINGS.map((ending) => `.${ending}`).join(',')}
        onChange={({ target }) => {
          add(target.files ?? []);
          // Reset, so that the same file can be selected again.
          target.value = '';
        }}
      />
      <button type="button" className="button primary" onClick={() => field.current?.click()}>
        <Icon name="upload" size={14} />
        Upload files
      </button>
    </>
  );
}
