/** A search result, with its run. */
import type { Hit } from '../data/search.ts';
import { Ago } from '../parts/formats/time.tsx';
import { Link } from '../parts/link.tsx';
import { ALL_CALLERS, useOwner } from '../routing/owner.ts';
import { address } from '../routing/router.ts';
import { RunStatusChip } from '../run/run-status.tsx';
import { kindLabel } from './choices.ts';
import { Snippet } from './snippet.tsx';

export function HitRow({ hit }: { hit: Hit }) {
  const of = useOwner().owner === ALL_CALLERS ? hit.owner : '';
  return (
    <li className="panel hit">
      <Link href={address(['runs', hit.run_id], { of })}>
        <Snippet {...hit} />
      </Link>
      <p className="row muted small">
        <RunStatusChip status={hit.status} />
        <span className="cut grow">
          {kindLabel(hit)} · {hit.workflow}
          {of && ` · ${of}`}
        </span>
        <Link href={address(['threads', hit.thread_id], { run: hit.run_id, of })}>Conversation</Link>
        <Ago at={hit.created_at} />
      </p>
    </li>
  );
}
