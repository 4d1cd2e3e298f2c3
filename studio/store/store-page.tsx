/** The store: namespaces and their items. */
import type { FormEvent } from 'react';
import { listItems, listNamespaces, pathOf } from '../data/store.ts';
import { OwnerFilter } from '../owner/owner-filter.tsx';
import { Icon } from '../parts/icon.tsx';
import { Empty, ErrorNote, Loading } from '../parts/states.tsx';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import type { PageProps } from '../routing/page-props.ts';
import { changeQuery } from '../routing/router.ts';
import { invalidate } from '../service/resources.ts';
import { usePages } from '../service/use-pages.ts';
import { ItemDialog } from './item-dialog.tsx';
import { ItemTable } from './item-table.tsx';
import './store.css';

export default function StorePage({ query }: PageProps) {
  const { owner } = useOwner();
  const prefix = query.get('prefix') ?? '';
  const [at, key] = [query.get('at'), query.get('key')];
  const ofAll = owner === ALL_CALLERS;

  function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get('prefix') ?? '').trim();
    changeQuery({ prefix: given || undefined });
  }
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div className="grow">
            <h1>Store</h1>
            <p className="muted small">Items that graphs keep across conversations</p>
          </div>
          <OwnerFilter choose={(owner) => changeQuery({ owner, at: undefined, key: undefined })} />
          <form className="row" onSubmit={search}>
            <input
              key={prefix}
              className="field filter"
              name="prefix"
              type="search"
              aria-label="Namespace prefix"
              placeholder="Namespace, e.g. users.ann"
              defaultValue={prefix}
              maxLength={2_100}
            />
            <button type="submit" className="button icon" aria-label="Search">
              <Icon name="search" size={14} />
            </button>
          </form>
          <button type="button" className="button" onClick={() => invalidate('store:')}>
            <Icon name="refresh" size={14} />
            Refresh
          </button>
        </header>
        {ofAll ? (
          <Empty title="Select a caller">
            <p className="small">Each caller has a separate store. Enter the caller above.</p>
          </Empty>
        ) : (
          <Contents key={prefix} prefix={prefix} />
        )}
      </div>
      {at !== null && key !== null && !ofAll && (
        <ItemDialog
          namespace={at}
          itemKey={key}
          canChange={owner === undefined}
          close={() => changeQuery({ at: undefined, key: undefined })}
        />
      )}
    </div>
  );
}

function Contents({ prefix }: { prefix: string }) {
  const names = usePages(`store:namespaces:${prefix}`, async (cursor) => {
    const { namespaces, next_cursor } = await listNamespaces(prefix, cursor);
    return { items: namespaces, next: next_cursor };
  });
  const pages = usePages(`store:items:${prefix}`, async (cursor) => {
    const { items, next_cursor } = await listItems(prefix, cursor);
    return { items, next: next_cursor };
  });
  if (pages.error) return <ErrorNote error={pages.error} retry={() => invalidate('store:')} />;
  if (!pages.items) return <Loading lines={8} />;
  if (pages.items.length === 0)
    return (
      <Empty title={prefix ? 'No items found' : 'No items yet'}>
        <p className="small">
          {prefix
            ? 'A prefix consists of whole labels, joined by dots.'
            : 'Items appear here when a graph stores one, e.g. with config.store.put(namespace, key, value).'}
        </p>
      </Empty>
    );
  return (
    <div className="store">
      <nav className="panel store-names" aria-label="Namespaces">
        <NameButton path="" label="All" current={prefix} />
        {names.items?.map(({ namespace }) => (
          <NameButton
            key={pathOf(namespace)}
            path={pathOf(namespace)}
            label={namespace.join(' › ')}
            current={prefix}
          />
        ))}
        {names.more && (
          <button type="button" className="button small quiet" onClick={names.more}>
            Load more namespaces
          </button>
        )}
      </nav>
      <div className="stack">
        <ItemTable items={pages.items} />
        {pages.more && (
          <button type="button" className="button quiet" onClick={pages.more}>
            Load more items
          </button>
        )}
      </div>
    </div>
  );
}

function NameButton({ path, label, current }: { path: string; label: string; current: string }) {
  return (
    <button
      type="button"
      aria-current={path === current}
      onClick={() => changeQuery({ prefix: path || undefined })}
    >
      {label}
    </button>
  );
}
