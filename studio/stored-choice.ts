/** React state that is kept in local storage. */
import { useState } from 'react';

export function useStoredChoice<T extends string>(name: string, initial: T): [T, (next: T) => void] {
  const key = `skein.${name}`;
  const [value, setValue] = useState(() => (localStorage.getItem(key) as T | null) ?? initial);
  return [
    value,
    (next) => {
      localStorage.setItem(key, next);
      setValue(next);
    },
  ];
}
