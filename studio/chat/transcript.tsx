/** The scrolling part of a conversation: stays at its end while it is there, and draws older items when they come near. */
import { type ReactNode, type UIEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import type { TranscriptItem } from './transcript-items.ts';

interface TranscriptProps {
  items: TranscriptItem[];
  draw(item: TranscriptItem): ReactNode;
  /** What comes after the last item. */
  children: ReactNode;
}

const AT_ONCE = 16;
const NEAR = 80;
const FAR = 600;

export function Transcript({ items, draw, children }: TranscriptProps) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const lastTop = useRef(0);
  const heightBefore = useRef<number>(undefined);
  const [shown, setShown] = useState(AT_ONCE);
  const [away, setAway] = useState(false);
  const hidden = Math.max(0, items.length - shown);

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
    if (!scroller || heightBefore.current === undefined) return;
    scroller.scrollTop += scroller.scrollHeight - heightBefore.current;
    heightBefore.current = undefined;
  }, [shown]);

  function scrolled({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent) {
    const left = scrollHeight - scrollTop - clientHeight;
    // Text that grows or shrinks moves the end, and nobody has scrolled.
    if (scrollTop > lastTop.current && left < NEAR) stuck.current = true;
    if (scrollTop < lastTop.current && left >= NEAR) stuck.current = false;
    lastTop.current = scrollTop;
    setAway(left > FAR);
    if (scrollTop < FAR && hidden > 0 && heightBefore.current === undefined) older();
  }

  function older() {
    heightBefore.current = box.current?.scrollHeight;
    setShown(shown + AT_ONCE);
  }

  return (
    <div className="transcript-frame">
      <div ref={box} className="transcript" onScroll={scrolled}>
        <div ref={inner} className="transcript-inner">
          {hidden > 0 && (
            <button type="button" className="button small quiet" onClick={older}>
              {hidden} older
            </button>
          )}
          <div className="items" role="log" aria-label="Messages">
            {items.slice(hidden).map((item) => (
              <div key={item.key}>{draw(item)}</div>
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
