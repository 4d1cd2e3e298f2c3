/** The size of an element. */
import { useLayoutEffect, useState } from 'react';

export interface Size {
  width: number;
  height: number;
}

/** Returns a ref callback for the element, and its size, which is undefined until it is mounted. */
export function useSize(): [(element: HTMLElement | null) => void, Size | undefined] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((before) => (before?.width === width && before.height === height ? before : { width, height }));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, size];
}
