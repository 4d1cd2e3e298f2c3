/** The dialog for an item of the store. Its owner can edit and delete it. */
import { type FormEvent, useState } from 'react';
import { deleteItem, readItem, type StoredItem, writeItem } from '../data/store.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Dialog } from '../parts/dialog/dialog.tsx';
import { DialogActions } from '../parts/dialog/dialog-actions.tsx';
import { Ago } from '../parts/formats/time.tsx';
import { Json } from '../parts/json/json.tsx';
import { JsonField } from '../parts/json/json-field.tsx';
import { type JsonProblem, notAnObject, readJson } from '../parts/json/json-text.ts';
import { isObject } from '../parts/schema-form/form-value.ts';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { invalidate, useResource } from '../service/resources.ts';
import { untilText } from './item-table.tsx';

interface ItemDialogProps {
  /** Labels, joined by dots. */
  namespace: string;
  itemKey: string;
  canChange: boolean;
  close(): void;
}

export function ItemDialog({ namespace, itemKey, canChange, close }: ItemDialogProps) {
  const name = `store:item:${JSON.stringify([namespace, itemKey])}`;
  const { data, error } = useResource(name, () => readItem(namespace, itemKey));
  const [mode, setMode] = useState<'edit' | 'delete'>();
  return (
    <Dialog title={itemKey} close={close}>
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && !error && (
        <div className="stack">
          <Facts item={data} />
          {mode === 'edit' ? (
            <Edit item={data} done={() => setMode(undefined)} />
          ) : (
            <Json value={data.value} open={3} />
          )}
          {mode === 'delete' && <Delete item={data} cancel={() => setMode(undefined)} onDeleted={close} />}
          {mode === undefined && (
            <div className="row wrap">
              <CopyButton text={() => JSON.stringify(data.value, null, 2)} label="Copy as JSON" />
              {canChange && (
                <>
                  <button type="button" className="button" onClick={() => setMode('edit')}>
                    Edit
                  </button>
                  <button type="button" className="button danger" onClick={() => setMode('delete')}>
                    Delete
                  </button>
                </>
              )}
            </div>
          )}
        </div>
      )}
    </Dialog>
  );
}

function Facts({ item }: { item: StoredItem }) {
  const { namespace, created_at, updated_at, expires_at, ttl_minutes } = item;
  return (
    <dl className="facts">
      <dt>Namespace</dt>
      <dd className="mono">{namespace.join(' › ')}</dd>
      <dt>Created</dt>
      <dd>
        <Ago at={created_at} />
      </dd>
      <dt>Updated</dt>
      <dd>
        <Ago at={updated_at} />
      </dd>
      <dt>Expires</dt>
      <dd>
        {expires_at === null || ttl_minutes === null
          ? 'Never'
          : `${untilText(expires_at)}; ${ttl_minutes.toLocaleString()} min after the last write or read`}
      </dd>
    </dl>
  );
}

function Edit({ item, done }: { item: StoredItem; done(): void }) {
  const [text, setText] = useState(() => JSON.stringify(item.value, null, 2));
  const [problem, setProblem] = useState<JsonProblem>();
  const [error, setError] = useState<Error>();
  async function save(event: FormEvent) {
    event.preventDefault();
    const read = readJson(text);
    const value = read.problem ? undefined : read.value;
    setProblem(read.problem ?? (isObject(value) ? undefined : notAnObject(text)));
    if (!isObject(value)) return;
    await writeItem(item, value, item.ttl_minutes).then(() => {
      invalidate('store:');
      done();
    }, setError);
  }
  return (
    <form className="stack" onSubmit={save}>
      <JsonField label="Value" rows={8} text={text} change={setText} problem={problem} />
      {error && <ErrorNote error={error} />}
      <DialogActions label="Save" cancel={done} />
    </form>
  );
}

function Delete({ item, cancel, onDeleted }: { item: StoredItem; cancel(): void; onDeleted(): void }) {
  const [error, setError] = useState<Error>();
  const go = () =>
    deleteItem(item).then(() => {
      onDeleted();
      invalidate('store:');
    }, setError);
  return (
    <div className="stack" role="alert">
      <p className="small">Graphs can no longer read this item after you delete it.</p>
      {error && <ErrorNote error={error} />}
      <DialogActions label="Delete permanently" onDelete={go} cancel={cancel} />
    </div>
  );
}
