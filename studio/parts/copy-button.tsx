/** Copies a text, and says that it did. */
import { useEffect, useState } from 'react';
import { Icon } from './icon.tsx';

export function CopyButton({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), 1_600);
    return () => clearTimeout(timer);
  }, [said]);

  async function copy() {
    const words = typeof text === 'function' ? text() : text;
    // Missing on pages without https that are not local.
    const done = await navigator.clipboard?.writeText(words).then(
      () => true,
      () => false,
    );
    setSaid(done ? 'Copied' : 'Not allowed here');
  }

  return (
    <button type="button" className="button small quiet" onClick={copy}>
      <Icon name={said === 'Copied' ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}
