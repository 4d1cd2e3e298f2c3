/** The scrolling part of a conversation: stays at its end while it is there, and draws older items when they come near. */
import { type ReactNode, type UIEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { groupsOf, ItemGroup } from './item-group.tsx';
import { moveAmongAnswers } from './message-keys.ts';
import type { TranscriptItem } from './transcript-items.ts';

interface TranscriptProps {
  items: TranscriptItem[];
  /** Reads more; undefined where all are there. */
  older: (() => Promise<void>) | undefined;
  draw(item: TranscriptItem): ReactNode;
  /** What comes after the last item. */
  children: ReactNode;
}

// Groups.
const AT_FIRST = 8;
const NEAR = 80;
const FAR = 600;

export function Transcript({ items, older: read, draw, children }: TranscriptProps) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const lastTop = useRef(0);
  const heightBefore = useRef<number>(undefined);
  const [shown, setShown] = useState(AT_FIRST);
  const [away, setAway] = useState(false);
  const [anchor, setAnchor] = useState(items[0]?.key);
  if (anchor === undefined && items[0]) setAnchor(items[0].key);
  const groups = useMemo(() => groupsOf(items, anchor), [items, anchor]);
  const hidden = Math.max(0, groups.length - shown);

  useEffect(() => {
    const content = inner.current;
    if (!content) return;
    const follow = new ResizeObserver(() => {
      if (stuck.current) box.current?.scrollTo({ top: box.current.scrollHeight });
    });
    follow.observe(content);
    return () => follow.disconnect();
  }, []);

  // Older items push what is read down: it is held where it was.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each further piece
  useLayoutEffect(() => {
    const scroller = box.current;
    if (!scroller) return;
    if (heightBefore.current !== undefined)
      scroller.scrollTop += scroller.scrollHeight - heightBefore.current;
    heightBefore.current = undefined;
    // Nobody can scroll on from the very top. Each piece is drawn by itself: together they would hold up the page.
    const next = requestAnimationFrame(() => {
      if (!stuck.current && scroller.scrollTop < FAR && heightBefore.current === undefined) older();
    });
    return () => cancelAnimationFrame(next);
  }, [shown, groups.length]);

  function scrolled({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent) {
    const left = scrollHeight - scrollTop - clientHeight;
    // Text that grows or shrinks moves the end, and nobody has scrolled.
    if (scrollTop > lastTop.current && left < NEAR) stuck.current = true;
    if (scrollTop < lastTop.current && left >= NEAR) stuck.current = false;
    lastTop.current = scrollTop;
    setAway(left > FAR);
    if (scrollTop < FAR && heightBefore.current === undefined) older();
  }

  function older() {
    if (hidden === 0 && !read) return;
    heightBefore.current = box.current?.scrollHeight;
    if (hidden > 0) setShown(shown + 1);
    else
      void read?.().finally(() => {
        heightBefore.current = undefined;
      });
  }

  return (
    <div className="transcript-frame">
      <div ref={box} className="transcript" onScroll={scrolled}>
        <div ref={inner} className="transcript-inner">
          {(hidden > 0 || read) && (
            <button type="button" className="button small quiet" onClick={older}>
              Older messages
            </button>
          )}
          <h2 className="visually-hidden">Messages</h2>
          <div className="items" role="log" aria-label="Messages" onKeyDown={moveAmongAnswers}>
            {groups.slice(hidden).map(({ key, items }) => (
              <ItemGroup key={key} items={items} draw={draw} />
            ))}
          </div>
          {children}
        </div>
      </div>
      {away && (
        <button
          type="button"
          className="button to-end"
          onClick={() => box.current?.scrollTo({ top: box.current.scrollHeight, behavior: 'smooth' })}
        >
          <Icon name="down" size={14} />
          To the end
        </button>
      )}
    </div>
  );
}
