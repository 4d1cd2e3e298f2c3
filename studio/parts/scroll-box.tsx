/** A part that scrolls by itself, and can be reached by the keyboard for it. */
import type { ReactNode } from 'react';

interface ScrollBoxProps {
  label: string;
  className?: string;
  children: ReactNode;
}

export function ScrollBox({ label, className = 'scroll-x', children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what has the focus
    <div className={className} tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}
