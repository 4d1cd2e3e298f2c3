/** Tabs with arrow-key navigation, following the ARIA Authoring Practices. */
import type { KeyboardEvent } from 'react';

interface TabsProps<T extends string> {
  /** The panel must have the id `<id>-panel` and be labelled by `<id>-<value>`. */
  id: string;
  label: string;
  tabs: readonly { value: T; label: string }[];
  value: NoInfer<T>;
  choose(value: NoInfer<T>): void;
}

export function Tabs<T extends string>({ id, label, tabs, value, choose }: TabsProps<T>) {
  function move(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = tabs.at((at + step) % tabs.length);
    if (!next) return;
    choose(next.value);
    document.getElementById(`${id}-${next.value}`)?.focus();
  }
  return (
    <div className="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          id={`${id}-${tab.value}`}
          type="button"
          role="tab"
          aria-selected={tab.value === value}
          aria-controls={tab.value === value ? `${id}-panel` : undefined}
          tabIndex={tab.value === value ? 0 : -1}
          onClick={() => choose(tab.value)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
