/** A button that copies a text and confirms it. */
import { useEffect, useState } from 'react';
import { Icon } from './icon.tsx';

export function CopyButton({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const [notice, setNotice] = useState<string>();
  useEffect(() => {
    if (notice === undefined) return;
    const timer = setTimeout(() => setNotice(undefined), 1_600);
    return () => clearTimeout(timer);
  }, [notice]);

  async function copy() {
    const words = typeof text === 'function' ? text() : text;
    // The Clipboard API is missing on pages that were loaded over plain HTTP from another machine.
    const done = await navigator.clipboard?.writeText(words).then(
      () => true,
      () => false,
    );
    setNotice(done ? 'Copied' : "Couldn't copy");
  }

  return (
    <button type="button" className="button small quiet" onClick={copy}>
      <Icon name={notice === 'Copied' ? 'check' : 'copy'} size={14} />
      <span aria-live="polite">{notice ?? label}</span>
    </button>
  );
}
