/** The list of documents, with status, size and actions. */
import { useEffect, useState } from 'react';
import { type DocumentEntry, listDocuments, readDocument, removeDocument } from '../data/knowledge.ts';
import { download } from '../download.ts';
import { Dialog } from '../parts/dialog/dialog.tsx';
import { DialogActions } from '../parts/dialog/dialog-actions.tsx';
import { sizeText } from '../parts/formats/size-text.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Icon } from '../parts/icon.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { invalidate } from '../service/resources.ts';
import { usePages } from '../service/use-pages.ts';
import { KnowledgeError } from './knowledge-error.tsx';

const POLL_MS = 1_500;
const STATES = {
  indexed: { tone: 'good', label: 'Indexed' },
  indexing: { tone: 'running', label: 'Indexing' },
  failed: { tone: 'bad', label: 'Failed' },
} as const;

export function DocumentList({ open }: { open(name: string): void }) {
  const pages = usePages('documents', async (cursor) => {
    const { documents, next_cursor } = await listDocuments(cursor);
    return { items: documents, next: next_cursor };
  });
  const [removing, setRemoving] = useState<string>();
  const indexing = pages.items?.some(({ state }) => state === 'indexing') ?? false;
  useEffect(() => {
    if (!indexing) return;
    const timer = setInterval(() => invalidate('documents'), POLL_MS);
    return () => clearInterval(timer);
  }, [indexing]);

  if (pages.error) return <KnowledgeError error={pages.error} />;
  if (!pages.items) return <Loading lines={8} />;
  if (pages.items.length === 0)
    return (
      <Empty title="No documents yet">
        <p className="small">
          Drop Markdown, text, HTML, PDF, Word or CSV files here, or use “Upload files”.
        </p>
      </Empty>
    );
  return (
    <>
      <ScrollBox className="panel scroll-x" label="Documents">
        <table className="documents-table">
          <thead>
            <tr>
              <th scope="col">Document</th>
              <th scope="col">Status</th>
              <th scope="col" className="number wide">
                Passages
              </th>
              <th scope="col" className="number wide">
                Size
              </th>
              <th scope="col" className="wide">
                Updated
              </th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {pages.items.map((document) => (
              <Row key={document.name} document={document} open={open} remove={setRemoving} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {pages.more && (
        <button type="button" className="button quiet" onClick={pages.more}>
          Load more
        </button>
      )}
      {removing !== undefined && <RemoveDialog name={removing} close={() => setRemoving(undefined)} />}
    </>
  );
}

interface RowProps {
  document: DocumentEntry;
  open(name: string): void;
  remove(name: string): void;
}

function Row({ document, open, remove }: RowProps) {
  const { name, state, chunks, bytes, updated_at, error, author } = document;
  const [problem, setProblem] = useState<Error>();
  const save = () =>
    readDocument(name).then((blob) => download(name.split('/').at(-1) ?? name, blob), setProblem);
  return (
    <tr>
      <th scope="row">
        <button type="button" className="link" onClick={() => open(name)}>
          {name}
        </button>
        {error && <p className="small bad">{error}</p>}
        {problem && <p className="small bad">{problem.message}</p>}
      </th>
      <td>
        <span className={`chip ${STATES[state].tone}`}>{STATES[state].label}</span>
      </td>
      <td className="number wide">{state === 'indexed' ? chunks.toLocaleString() : ''}</td>
      <td className="number wide">{sizeText(bytes)}</td>
      <td className="wide muted">
        <Ago at={updated_at} />
        {author && ` by ${author}`}
      </td>
      <td>
        <span className="row actions">
          <button
            type="button"
            className="button small icon quiet"
            aria-label={`Download ${name}`}
            title="Download"
            onClick={() => void save()}
          >
            <Icon name="download" size={14} />
          </button>
          <button
            type="button"
            className="button small icon quiet"
            aria-label={`Delete ${name}`}
            title="Delete"
            onClick={() => remove(name)}
          >
            <Icon name="trash" size={14} />
          </button>
        </span>
      </td>
    </tr>
  );
}

function RemoveDialog({ name, close }: { name: string; close(): void }) {
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);

  async function remove() {
    if (busy) return;
    setBusy(true);
    try {
      await removeDocument(name);
      invalidate('documents');
      invalidate('knowledge-search');
      close();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      setBusy(false);
    }
  }
  return (
    <Dialog title="Delete document" close={close}>
      <p>
        This deletes <strong>{name}</strong> and its passages for all users of this service. Existing answers
        don't change.
      </p>
      {error && <ErrorNote error={error} />}
      <DialogActions
        label={busy ? 'Deleting…' : 'Delete'}
        icon="trash"
        busy={busy}
        onDelete={() => void remove()}
        cancel={close}
      />
    </Dialog>
  );
}
