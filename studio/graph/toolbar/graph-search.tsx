/** Searches nodes by name, including those inside collapsed nodes. Enter goes to the next match. */
import { type KeyboardEvent, useState } from 'react';

interface GraphSearchProps {
  /** Ids of all nodes. */
  nodes: string[];
  go(node: string): void;
}

export function GraphSearch({ nodes, go }: GraphSearchProps) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(-1);
  const wanted = text.trim().toLowerCase();
  const found = wanted === '' ? [] : nodes.filter((node) => node.toLowerCase().includes(wanted));
  // Show the best matches first: the shortest ones.
  const matches = found.toSorted((a, b) => a.length - b.length);

  function key(event: KeyboardEvent) {
    if (event.key !== 'Enter' || matches.length === 0) return;
    event.preventDefault();
    const next = (at + (event.shiftKey ? -1 : 1) + matches.length) % matches.length;
    setAt(next);
    const node = matches[next];
    if (node !== undefined) go(node);
  }
  return (
    <span className="graph-search">
      <input
        className="field"
        type="search"
        aria-label="Find node"
        placeholder="Find node"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(-1);
        }}
        onKeyDown={key}
      />
      <span className="muted small" role="status">
        {wanted !== '' &&
          (at < 0
            ? `${matches.length} ${matches.length === 1 ? 'match' : 'matches'}`
            : `${at + 1} of ${matches.length}`)}
      </span>
    </span>
  );
}
