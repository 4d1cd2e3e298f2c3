/** Plain text. A long text is cut, with a button that shows the rest. */
import { useState } from 'react';

const SHOWN_CHARACTERS = 20_000;

export function LongText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const short = whole || text.length <= SHOWN_CHARACTERS;
  return (
    <div className="stack">
      <pre className="wrapped">{short ? text : text.slice(0, SHOWN_CHARACTERS)}</pre>
      {!short && (
        <button type="button" className="button small" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </div>
  );
}
