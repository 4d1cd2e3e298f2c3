/** The colour theme: the system's, until you choose another. */
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';

const KEY = 'skein.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let chosen = known(localStorage.getItem(KEY));
apply();
system.addEventListener('change', notify);

export function useTheme(): Theme {
  return useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, current);
}

/** Switches to the other theme. If that is the system's theme, follows the system again. */
export function switchTheme(): void {
  const next = current() === 'dark' ? 'light' : 'dark';
  chosen = next === ofSystem() ? undefined : next;
  if (chosen) localStorage.setItem(KEY, chosen);
  else localStorage.removeItem(KEY);
  apply();
  notify();
}

function current(): Theme {
  return chosen ?? ofSystem();
}

function ofSystem(): Theme {
  return system.matches ? 'dark' : 'light';
}

function apply(): void {
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

function notify(): void {
  for (const listener of listeners) listener();
}

function known(value: string | null): Theme | undefined {
  return value === 'light' || value === 'dark' ? value : undefined;
}
