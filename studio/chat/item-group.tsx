/** Some neighbouring items of a conversation, drawn and laid out as one: a long conversation has few such groups. */
import { memo, type ReactNode } from 'react';
import type { TranscriptItem } from './transcript-items.ts';

const GROUP = 4;

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

export interface Group {
  key: string;
  items: TranscriptItem[];
}

/**
 * Both ways from the item `anchor`, which begins a group: what is added at the end changes the last group alone, and what
 * is added before, the first.
 */
export function groupsOf(items: TranscriptItem[], anchor: string | undefined): Group[] {
  const at = Math.max(
    0,
    items.findIndex(({ key }) => key === anchor),
  );
  const begins = at % GROUP;
  const groups: Group[] = [];
  for (let from = begins === 0 ? 0 : begins - GROUP; from < items.length; from += GROUP) {
    const own = items.slice(Math.max(0, from), from + GROUP);
    // Those before it grow at their beginning.
    const name = from < at ? own.at(-1) : own[0];
    if (name) groups.push({ key: name.key, items: own });
  }
  return groups;
}
