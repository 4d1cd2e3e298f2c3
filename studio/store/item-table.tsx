/** The items of the store as a table. A click on a key opens the item. */
import { type ItemEntry, pathOf } from '../data/store.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';

export function ItemTable({ items }: { items: ItemEntry[] }) {
  return (
    <div className="panel scroll-x">
      <table className="store-table">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Namespace</th>
            <th scope="col" className="wide">
              Fields
            </th>
            <th scope="col" className="number">
              Updated
            </th>
            <th scope="col" className="number wide">
              Expires
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={JSON.stringify([item.namespace, item.key])} item={item} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ item: { namespace, key, fields, updated_at, expires_at } }: { item: ItemEntry }) {
  const query = new URLSearchParams(location.search);
  const here = address(['store'], { prefix: query.get('prefix') ?? '', at: pathOf(namespace), key });
  return (
    <tr>
      <th scope="row">
        <Link href={here}>{key}</Link>
      </th>
      <td className="mono">{namespace.join(' › ')}</td>
      <td className="wide muted">{fields.join(', ')}</td>
      <td className="number muted">
        <Ago at={updated_at} />
      </td>
      <td className="number muted wide">{expires_at === null ? 'Never' : untilText(expires_at)}</td>
    </tr>
  );
}

/** The time from now until `time`. */
export function untilText(time: string): string {
  const minutes = Math.ceil((Date.parse(time) - Date.now()) / 60_000);
  if (minutes < 120) return `in ${Math.max(minutes, 1)} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} days`;
}
