/** The SQL database: its tables, columns and sample values, with links to ask about a table. */
import { useState } from 'react';
import { SkeinApiError } from '../../client/api-error.ts';
import { type Database, readTables, type Table } from '../data/database.ts';
import { readWorkflows } from '../data/workflows.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { address } from '../routing/router.ts';
import { invalidate, useResource } from '../service/resources.ts';
import { TableColumns } from './table-columns.tsx';
import './database.css';

const SQL_WORKFLOW = 'sql-manipulation-agent';
// With more tables, all are collapsed at first.
const MAX_EXPANDED = 6;

export default function DatabasePage() {
  const { data, error } = useResource('database', readTables);
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const tables = data?.tables.filter((table) => searchTextOf(table).includes(wanted));
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
            aria-label="Search tables and columns"
            placeholder="Search tables and columns"
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
        {tables?.length === 0 && <p className="muted">No matching tables or columns.</p>}
        {tables?.map((table) => (
          <TablePanel key={table.name} table={table} open={tables.length <= MAX_EXPANDED} />
        ))}
      </div>
    </div>
  );
}

function descriptionOf({ description, dialect }: Database): string {
  return description.toLowerCase().includes(dialect) ? description : `${description} (${dialect})`;
}

function searchTextOf({ name, columns }: Table): string {
  return [name, ...columns.map((column) => column.name)].join('\n').toLowerCase();
}

function TablePanel({ table, open }: { table: Table; open: boolean }) {
  const { name, rows, columns } = table;
  const { data } = useResource('workflows', readWorkflows);
  const canAsk = data?.workflows.some(({ workflow }) => workflow === SQL_WORKFLOW);
  const question = address([], { workflow: SQL_WORKFLOW, draft: `What is in the table ${name}?` });
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
        <CopyButton text={name} label="Copy name" />
        {canAsk && (
          <Link className="button small" href={question}>
            <Icon name="chat" size={14} />
            Ask about {name.length > 40 ? 'this table' : name}
          </Link>
        )}
      </div>
    </details>
  );
}

/** How the person who runs the service can fix the error. */
function Advice({ error }: { error: Error }) {
  const code = error instanceof SkeinApiError ? error.code : '';
  if (code === 'NO_TABLES_FOUND')
    return (
      <div className="note">
        <p>Add tables to the database, then refresh:</p>
        <pre className="wrapped">
          {
            'bun run skein db seed           # create the sample database\nbun run skein db import FILE    # import a file as a table'
          }
        </pre>
      </div>
    );
  if (code !== 'DATABASE_CONNECTION_FAILED' && code !== 'CONFIGURATION_ERROR') return null;
  return (
    <div className="note">
      <p>
        For a local database, set <code>local_sql_db.database_path</code> in <code>config.yml</code>. For a
        database server, set <code>cloud_sql</code>, and the credentials in <code>SQL_USERNAME</code> and{' '}
        <code>SQL_PASSWORD</code>. <code>bun run skein validate</code> shows the current settings.
      </p>
    </div>
  );
}
