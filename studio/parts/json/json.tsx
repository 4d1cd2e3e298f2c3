/** A JSON value as a tree. Long lists and texts are cut, with a button that shows more. */
import { useState } from 'react';
import { mediaIn } from '../media/content-parts.ts';
import { MediaPart } from '../media/media-part.tsx';
import { ScrollBox } from '../scroll-box.tsx';
import './json.css';

export function Json({ value, open = 2 }: { value: unknown; open?: number }) {
  return (
    <ScrollBox className="json" label="Value">
      <Value value={value} open={open} />
    </ScrollBox>
  );
}

const PAGE_SIZE = 50;
const MAX_TEXT = 2_000;

function Value({ value, open }: { value: unknown; open: number }) {
  if (typeof value === 'object' && value !== null) return <Branch value={value} open={open} />;
  if (typeof value === 'string') return <Text text={value} />;
  return <span className="literal">{value === undefined ? 'undefined' : JSON.stringify(value)}</span>;
}

function Text({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > MAX_TEXT;
  return (
    <>
      <span className="string">{JSON.stringify(cut ? text.slice(0, MAX_TEXT) : text)}</span>
      {cut && (
        <button type="button" className="button small quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}

/** Media is shown above its fields. */
function Branch(props: { value: object; open: number }) {
  const media = mediaIn(props.value);
  if (!media) return <Fields {...props} />;
  return (
    <>
      <MediaPart media={media} />
      <Fields value={props.value} open={0} />
    </>
  );
}

function Fields({ value, open }: { value: object; open: number }) {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(PAGE_SIZE);
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const size = isList ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0) return <span className="literal">{isList ? '[]' : '{}'}</span>;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="muted">{size}</span> {!isOpen && <span className="muted">{preview(value)}</span>}
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([name, one]) => (
            <li key={name}>
              <span className="name">{name}</span> <Value value={one} open={open - 1} />
            </li>
          ))}
          {shown < entries.length && (
            <li>
              <button
                type="button"
                className="button small quiet"
                onClick={() => setShown(shown + 10 * PAGE_SIZE)}
              >
                Show more ({entries.length - shown} left)
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}

function preview(value: object): string {
  const names = Array.isArray(value) ? value.slice(0, 3).map(kindOf) : Object.keys(value).slice(0, 5);
  return names.join(', ').slice(0, 80);
}

function kindOf(value: unknown): string {
  return typeof value === 'object' ? '…' : String(JSON.stringify(value)).slice(0, 24);
}
