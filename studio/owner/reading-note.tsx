/** Replaces the composer while an operator looks at another caller's data. */
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';

export function ReadingNote({ owner }: { owner: string | undefined }) {
  return (
    <p className="note" role="status">
      {owner === undefined
        ? "You're viewing other callers' data, which is read-only."
        : `You're viewing data of ${owner}, which is read-only.`}{' '}
      <Link href={address([], { owner: '' })}>Go to your conversations</Link>
    </p>
  );
}
