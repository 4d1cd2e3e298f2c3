/** Groups neighbouring items of a conversation, so that a long conversation has few elements to lay out. */
import { memo, type ReactNode } from 'react';
import type { TranscriptItem } from './transcript-items.ts';

const GROUP_SIZE = 4;

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
    before.length === after.length &&
    before.every((item, index) => contentOf(item) === contentOf(after[index]))
  );
}

/** The content of an item, for comparison. The items themselves are new objects in each list. */
const contentOf = (item: TranscriptItem | undefined) => (item?.kind === 'message' ? item.message : item?.run);

export interface Group {
  key: string;
  items: TranscriptItem[];
}

/**
 * Groups the items in both directions from the item `anchor`, which starts a group. An item that is added at the end only
 * changes the last group, and one that is added at the start only the first.
 */
export function groupsOf(items: TranscriptItem[], anchor: string | undefined): Group[] {
  const at = Math.max(
    0,
    items.findIndex(({ key }) => key === anchor),
  );
  const offset = at % GROUP_SIZE;
  const groups: Group[] = [];
  for (let from = offset === 0 ? 0 : offset - GROUP_SIZE; from < items.length; from += GROUP_SIZE) {
    const own = items.slice(Math.max(0, from), from + GROUP_SIZE);
    // Groups before the anchor grow at their start, so their key is that of their last item.
    const name = from < at ? own.at(-1) : own[0];
    if (name) groups.push({ key: name.key, items: own });
  }
  return groups;
}
