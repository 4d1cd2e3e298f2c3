/** The dialog for a document: the text of text files, and a download. */
import { useState } from 'react';
import { readDocument } from '../data/knowledge.ts';
import { download } from '../download.ts';
import { Dialog } from '../parts/dialog/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { useResource } from '../service/resources.ts';

const TEXTS = /\.(?:md|txt|csv|html?)$/i;
const MAX_SHOWN = 200_000;

export function DocumentDialog({ name, close }: { name: string; close(): void }) {
  const [problem, setProblem] = useState<Error>();
  const save = () =>
    readDocument(name).then((blob) => download(name.split('/').at(-1) ?? name, blob), setProblem);
  return (
    <Dialog title={name} close={close}>
      {TEXTS.test(name) ? (
        <Text name={name} />
      ) : (
        <p className="muted small">No preview for this type of file. Download it to view it.</p>
      )}
      {problem && <ErrorNote error={problem} />}
      <div className="row">
        <button type="button" className="button" onClick={() => void save()}>
          <Icon name="download" size={14} />
          Download
        </button>
      </div>
    </Dialog>
  );
}

function Text({ name }: { name: string }) {
  const { data, error } = useResource(`document:text:${name}`, async () => (await readDocument(name)).text());
  if (error) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading lines={8} />;
  return (
    <>
      <ScrollBox className="document-text" label="Document">
        <pre>{data.slice(0, MAX_SHOWN)}</pre>
      </ScrollBox>
      {data.length > MAX_SHOWN && (
        <p className="muted small">Only the beginning is shown. Download the document to see all of it.</p>
      )}
    </>
  );
}
