/** The SQL database: its tables, with a few values of each column, and where one asks about them. */
import { useState } from 'react';
import { SkeinApiError } from '../../client/api-error.ts';
import { type Database, readTables, type Table } from '../data/database.ts';
import { readWorkflows } from '../data/workflows.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { invalidate, useResource } from '../resources.ts';
import { address } from '../router.ts';
import { TableColumns } from './table-columns.tsx';
import './database.css';

const ASKS = 'sql-manipulation-agent';
// A database of hundreds of tables shows them closed.
const OPEN_AT_FIRST = 6;

export default function DatabasePage() {
  const { data, error } = useResource('database', readTables);
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const tables = data?.tables.filter((table) => wordsOf(table).includes(wanted));
  return (
    <div className="page">
      <div className="inner">
        <header className="page-head">
          <div className="grow">
            <h1>Database</h1>
            <p className="muted small">{data ? descriptionOf(data) : ' '}</p>
          </div>
          <input
            className="field filter"
            type="search"
            aria-label="Find a table or a column"
            placeholder="Find a table or a column"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <button type="button" className="button" onClick={() => invalidate('database')}>
            <Icon name="refresh" size={14} />
            Refresh
          </button>
        </header>
        {error && (
          <>
            <ErrorNote error={error} retry={() => invalidate('database')} />
            <Advice error={error} />
          </>
        )}
        {!data && !error && <Loading lines={8} />}
        {tables?.length === 0 && <p className="muted">No table and no column is called so.</p>}
        {tables?.map((table) => (
          <TablePanel key={table.name} table={table} open={tables.length <= OPEN_AT_FIRST} />
        ))}
      </div>
    </div>
  );
}

function descriptionOf({ description, dialect }: Database): string {
  return description.toLowerCase().includes(dialect) ? description : `${description} (${dialect})`;
}

function wordsOf({ name, columns }: Table): string {
  return [name, ...columns.map((column) => column.name)].join('\n').toLowerCase();
}

function TablePanel({ table, open }: { table: Table; open: boolean }) {
  const { name, rows, columns } = table;
  const { data } = useResource('workflows', readWorkflows);
  const asks = data?.workflows.some(({ workflow }) => workflow === ASKS);
  const question = address([], { workflow: ASKS, draft: `What is in the table ${name}?` });
  return (
    <details className="panel database-table" open={open}>
      <summary>
        <h2 className="cut">{name}</h2>
        <span className="muted small">
          {rows.toLocaleString()} {rows === 1 ? 'row' : 'rows'}, {columns.length}{' '}
          {columns.length === 1 ? 'column' : 'columns'}
        </span>
      </summary>
      <TableColumns columns={columns} />
      <div className="row wrap table-foot">
        <CopyButton text={name} label="Copy the name" />
        {asks && (
          <Link className="button small" href={question}>
            <Icon name="chat" size={14} />
            Ask about {name.length > 40 ? 'it' : name}
          </Link>
        )}
      </div>
    </details>
  );
}

/** What whoever runs the service can do. */
function Advice({ error }: { error: Error }) {
  const code = error instanceof SkeinApiError ? error.code : '';
  if (code === 'NO_TABLES_FOUND')
    return (
      <div className="note">
        <p>Put tables into the database, then refresh:</p>
        <pre className="wrapped">
          {
            'bun run skein db seed           # makes the sample database\nbun run skein db import FILE    # a file becomes a table'
          }
        </pre>
      </div>
    );
  if (code !== 'DATABASE_CONNECTION_FAILED' && code !== 'CONFIGURATION_ERROR') return null;
  return (
    <div className="note">
      <p>
        The local database is the file <code>local_sql_db.database_path</code> in <code>config.yml</code>. One
        on a server is set with <code>cloud_sql</code> and, for its credentials, <code>SQL_USERNAME</code> and{' '}
        <code>SQL_PASSWORD</code>. <code>bun run skein validate</code> shows what is in force.
      </p>
    </div>
  );
}
