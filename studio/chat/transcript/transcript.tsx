/** The scrolling transcript. It stays at the end while new text arrives, and loads older items as you scroll up. */
import { type ReactNode, type UIEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { moveBetweenAnswers } from '../messages/message-keys.ts';
import { groupsOf, ItemGroup } from './item-group.tsx';
import type { TranscriptItem } from './transcript-items.ts';

interface TranscriptProps {
  items: TranscriptItem[];
  /** Loads older items; undefined if all are loaded. */
  older: (() => Promise<void>) | undefined;
  draw(item: TranscriptItem): ReactNode;
  /** Shown after the last item. */
  children: ReactNode;
}

/** The number of groups to show at first. */
const INITIAL_GROUPS = 8;
/** Pixels from the end within which the transcript follows new text. */
const NEAR = 80;
/** Pixels from an edge: older items are loaded below this, and "Jump to latest" is shown above it. */
const FAR = 600;

export function Transcript({ items, older: read, draw, children }: TranscriptProps) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const lastTop = useRef(0);
  const heightBefore = useRef<number>(undefined);
  const [shown, setShown] = useState(INITIAL_GROUPS);
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

  // Older items push the content down, so scroll by the same distance.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each added group
  useLayoutEffect(() => {
    const scroller = box.current;
    if (!scroller) return;
    if (heightBefore.current !== undefined)
      scroller.scrollTop += scroller.scrollHeight - heightBefore.current;
    heightBefore.current = undefined;
    // At the very top, scrolling can't trigger the next load, so continue here. One group a frame keeps the page responsive.
    const next = requestAnimationFrame(() => {
      if (!stuck.current && scroller.scrollTop < FAR && heightBefore.current === undefined) older();
    });
    return () => cancelAnimationFrame(next);
  }, [shown, groups.length]);

  function scrolled({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent) {
    const fromEnd = scrollHeight - scrollTop - clientHeight;
    // The end also moves when the text grows or shrinks, so compare with the last position to detect real scrolling.
    if (scrollTop > lastTop.current && fromEnd < NEAR) stuck.current = true;
    if (scrollTop < lastTop.current && fromEnd >= NEAR) stuck.current = false;
    lastTop.current = scrollTop;
    setAway(fromEnd > FAR);
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
              Load older messages
            </button>
          )}
          <h2 className="visually-hidden">Messages</h2>
          <div className="items" role="log" aria-label="Messages" onKeyDown={moveBetweenAnswers}>
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
          Jump to latest
        </button>
      )}
    </div>
  );
}
