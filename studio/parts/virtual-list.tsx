/** A long list of rows of one height, of which those in sight are drawn. */
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface VirtualListProps {
  label: string;
  count: number;
  rowHeight: number;
  row(index: number): ReactNode;
  /** Stays at its end while it is there. */
  follow?: boolean;
}

const BEYOND = 12;

export function VirtualList({ label, count, rowHeight, row, follow = false }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const stuck = useRef(follow);
  const [{ top, height }, setWindow] = useState({ top: 0, height: 600 });

  function look() {
    const element = box.current;
    if (!element) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    stuck.current = follow && scrollHeight - scrollTop - clientHeight < 2 * rowHeight;
    setWindow({ top: scrollTop, height: clientHeight });
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever rows are added
  useLayoutEffect(() => {
    if (stuck.current) box.current?.scrollTo({ top: box.current.scrollHeight });
    else look();
  }, [count]);

  const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + BEYOND);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list of which a part is drawn
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what has the focus
    <div ref={box} className="virtual" role="group" aria-label={label} tabIndex={0} onScroll={look}>
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
