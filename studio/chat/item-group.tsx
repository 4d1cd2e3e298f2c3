/** Some neighbouring items of a conversation, drawn and laid out as one: a long conversation has few such groups. */
import { memo, type ReactNode } from 'react';
import type { TranscriptItem } from './transcript-items.ts';

export const GROUP = 16;

interface ItemGroupProps {
  items: TranscriptItem[];
  draw(item: TranscriptItem): ReactNode;
}

export const ItemGroup = memo(
  function ItemGroup({ items, draw }: ItemGroupProps) {
    return (
      <div className="item-group">
        {items.map((item) => (
          <div key={item.key}>{draw(item)}</div>
        ))}
      </div>
    );
  },
  (before, after) => before.draw === after.draw && isSame(before.items, after.items),
);

function isSame(before: TranscriptItem[], after: TranscriptItem[]): boolean {
  return (
    before.length === after.length && before.every((item, index) => partOf(item) === partOf(after[index]))
  );
}

/** What an item shows: the items themselves are made anew for each list. */
const partOf = (item: TranscriptItem | undefined) => (item?.kind === 'message' ? item.message : item?.run);

/** From the oldest on: what is added at the end changes the last group alone. */
export function groupsOf(items: TranscriptItem[]): TranscriptItem[][] {
  const count = Math.ceil(items.length / GROUP);
  return Array.from({ length: count }, (_, index) => items.slice(index * GROUP, (index + 1) * GROUP));
}
