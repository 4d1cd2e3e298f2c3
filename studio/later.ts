/** Parts of the studio that are loaded when they are first shown, and with the first of them the styles of all. */
import { type ComponentType, createElement, lazy } from 'react';

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

// React draws what has failed once more, at once.
const AT_ONCE_MS = 500;

/** `lazy`, but a load that fails is tried again: a few times by itself, then when the part is drawn again. */
export function part<Props extends object>(load: Load<Props>): ComponentType<Props> {
  let failedAt: number | undefined;
  const begun = (): ComponentType<Props> =>
    lazy(() =>
      patiently(load).catch((error) => {
        failedAt = performance.now();
        throw error;
      }),
    );
  let loaded = begun();
  return (props) => {
    if (failedAt !== undefined && performance.now() - failedAt > AT_ONCE_MS) {
      failedAt = undefined;
      loaded = begun();
    }
    return createElement(loaded, props);
  };
}

/** The same, with its styles. */
export function later<Props extends object>(load: Load<Props>): ComponentType<Props> {
  return part(async () => (await Promise.all([load(), wholeSheet()]))[0]);
}

// Together as long as a service takes to be started again.
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 5_000];

async function patiently<T>(load: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return load();
}

const SHEET_MS = 5_000;
let sheet: Promise<unknown> | undefined;

/** The page names it, and browsers pass it over until it is a stylesheet. */
function wholeSheet(): Promise<unknown> {
  sheet ??= new Promise((resolve) => {
    const link = document.querySelector<HTMLLinkElement>('#whole-sheet');
    if (!link) return resolve(undefined);
    link.onload = resolve;
    // What is not styled can still be read.
    link.onerror = resolve;
    setTimeout(resolve, SHEET_MS);
    link.rel = 'stylesheet';
  });
  return sheet;
}
