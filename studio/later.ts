/** Parts of the studio that are loaded when they are first shown, and with the first of them the styles of all. */
import { type ComponentType, lazy } from 'react';

export function later<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazy(async () => (await Promise.all([load(), wholeSheet()]))[0]);
}

let sheet: Promise<unknown> | undefined;

/** The page names it, and browsers pass it over until it is a stylesheet. */
function wholeSheet(): Promise<unknown> {
  sheet ??= new Promise((resolve) => {
    const link = document.querySelector<HTMLLinkElement>('#whole-sheet');
    if (!link) return resolve(undefined);
    link.onload = resolve;
    // What is not styled can still be read.
    link.onerror = resolve;
    link.rel = 'stylesheet';
  });
  return sheet;
}
