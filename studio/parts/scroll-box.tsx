/** A scrollable box that can be focused and scrolled with the keyboard. */
import type { ReactNode } from 'react';

interface ScrollBoxProps {
  label: string;
  className?: string;
  children: ReactNode;
}

export function ScrollBox({ label, className = 'scroll-x', children }: ScrollBoxProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll the focused element
    <div className={className} tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}
