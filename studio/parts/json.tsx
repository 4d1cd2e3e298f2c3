/** Any JSON value as a tree: long lists and texts are cut until somebody asks for more. */

import { useState } from 'react';
import { mediaIn } from './content-parts.ts';
import { MediaPart } from './media-part.tsx';
import { ScrollBox } from './scroll-box.tsx';
import './json.css';

export function Json({ value, open = 2 }: { value: unknown; open?: number }) {
  return (
    <ScrollBox className="json" label="Value">
      <Value value={value} open={open} />
    </ScrollBox>
  );
}

const AT_ONCE = 50;
const LONGEST = 2_000;

function Value({ value, open }: { value: unknown; open: number }) {
  if (typeof value === 'object' && value !== null) return <Branch value={value} open={open} />;
  if (typeof value === 'string') return <Text text={value} />;
  return <span className="literal">{value === undefined ? 'undefined' : JSON.stringify(value)}</span>;
}

function Text({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > LONGEST;
  return (
    <>
      <span className="string">{JSON.stringify(cut ? text.slice(0, LONGEST) : text)}</span>
      {cut && (
        <button type="button" className="button small quiet" onClick={() => setWhole(true)}>
          … all {text.length.toLocaleString()} characters
        </button>
      )}
    </>
  );
}

/** A picture, a sound or a file is shown as one, beside its fields. */
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
  const [shown, setShown] = useState(AT_ONCE);
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
                onClick={() => setShown(shown + 10 * AT_ONCE)}
              >
                {entries.length - shown} more
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
