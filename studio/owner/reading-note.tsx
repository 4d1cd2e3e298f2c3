/** Stands where one would write, while an operator reads what belongs to others. */
import { Link } from '../parts/link.tsx';
import { address } from '../router.ts';

export function ReadingNote({ owner }: { owner: string | undefined }) {
  return (
    <p className="note" role="status">
      {owner === undefined
        ? 'You are reading what belongs to others'
        : `You are reading what belongs to ${owner}`}
      , so you can't change anything here.{' '}
      <Link href={address([], { owner: '' })}>Go to your own conversations</Link>
    </p>
  );
}
