/** The columns of a table with types and sample values. */
import type { Table } from '../data/database.ts';
import { cellText } from '../output/sql-result.ts';
import { ScrollBox } from '../parts/scroll-box.tsx';

const MAX_VALUE = 80;

export function TableColumns({ columns }: Pick<Table, 'columns'>) {
  return (
    <ScrollBox label="Columns">
      <table className="columns-table">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Type</th>
            <th scope="col">Sample values</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, type, samples }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td className="muted type">{type.toLowerCase()}</td>
              <td>
                <ul className="samples">
                  {samples.map((sample) => (
                    <li key={JSON.stringify(sample)}>{shortened(sample)}</li>
                  ))}
                  {samples.length === 0 && <li className="muted">none</li>}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function shortened(value: unknown): string {
  const text = value === null ? 'null' : cellText(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
