/** Components that are loaded when they are first shown. The first one also loads the full stylesheet. */
import { type ComponentType, lazy } from 'react';

export function lazyWithStyles<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazy(async () => (await Promise.all([load(), fullStylesheet()]))[0]);
}

let stylesheet: Promise<unknown> | undefined;

/** The page has a link to it with `rel="alternate"`, which browsers ignore until `rel` is "stylesheet". */
function fullStylesheet(): Promise<unknown> {
  stylesheet ??= new Promise((resolve) => {
    const link = document.querySelector<HTMLLinkElement>('#whole-sheet');
    if (!link) return resolve(undefined);
    link.onload = resolve;
    // An unstyled component is still readable.
    link.onerror = resolve;
    link.rel = 'stylesheet';
  });
  return stylesheet;
}
