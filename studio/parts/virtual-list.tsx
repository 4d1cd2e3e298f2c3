/** A long list with rows of equal height, which renders only the visible rows. */
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface VirtualListProps {
  label: string;
  count: number;
  rowHeight: number;
  row(index: number): ReactNode;
  /** Stays scrolled to the end while new rows arrive. */
  follow?: boolean;
}

const OVERSCAN = 12;

export function VirtualList({ label, count, rowHeight, row, follow = false }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const stuck = useRef(follow);
  const [{ top, height }, setWindow] = useState({ top: 0, height: 600 });

  function updateWindow() {
    const element = box.current;
    if (!element) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    stuck.current = follow && scrollHeight - scrollTop - clientHeight < 2 * rowHeight;
    setWindow({ top: scrollTop, height: clientHeight });
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when rows are added
  useLayoutEffect(() => {
    if (stuck.current) box.current?.scrollTo({ top: box.current.scrollHeight });
    else updateWindow();
  }, [count]);

  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN);
  return (
    // biome-ignore lint/a11y/useSemanticElements: only a part of the list is rendered
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the focused element
    <div ref={box} className="virtual" role="group" aria-label={label} tabIndex={0} onScroll={updateWindow}>
      <div style={{ height: count * rowHeight, position: 'relative' }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, offset) => {
          const index = first + offset;
          return (
            <div
              key={index}
              style={{ position: 'absolute', inset: `${index * rowHeight}px 0 auto`, height: rowHeight }}
            >
              {row(index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
