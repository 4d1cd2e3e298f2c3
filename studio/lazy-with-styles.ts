/** Components that are loaded when they are first rendered. The first of them also loads the full stylesheet. */
import { type ComponentType, createElement, lazy } from 'react';

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>;

// After an error, React immediately renders once more. That is not a new attempt.
const SAME_RENDER_MS = 500;

let retries = 0;

/** After this call, parts that failed to load are loaded again at their next rendering, however soon it is. */
export function retryParts(): void {
  retries++;
}

/**
 * `lazy` with retries. If loading fails, retries a few times in the background, and then whenever the component is rendered
 * again.
 */
export function lazyPart<Props extends object>(load: Load<Props>): ComponentType<Props> {
  let failed: { at: number; retries: number } | undefined;
  const start = (): ComponentType<Props> =>
    lazy(() =>
      withRetries(load).catch((error) => {
        failed = { at: performance.now(), retries };
        throw error;
      }),
    );
  let component = start();
  return (props) => {
    if (failed && (failed.retries !== retries || performance.now() - failed.at > SAME_RENDER_MS)) {
      failed = undefined;
      component = start();
    }
    return createElement(component, props);
  };
}

export function lazyWithStyles<Props extends object>(load: Load<Props>): ComponentType<Props> {
  return lazyPart(async () => (await Promise.all([load(), fullStylesheet()]))[0]);
}

// Longer in total than a restart of the service.
const DELAYS_MS = [500, 1_000, 2_000, 4_000, 5_000];

async function withRetries<T>(load: () => Promise<T>): Promise<T> {
  for (const delay of DELAYS_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
  return load();
}

const STYLESHEET_TIMEOUT_MS = 5_000;
let stylesheet: Promise<unknown> | undefined;

/** The page has a link to it with `rel="alternate"`, which browsers ignore until `rel` is "stylesheet". */
function fullStylesheet(): Promise<unknown> {
  stylesheet ??= new Promise((resolve) => {
    const link = document.querySelector<HTMLLinkElement>('#whole-sheet');
    if (!link) return resolve(undefined);
    link.onload = resolve;
    // An unstyled component is still readable.
    link.onerror = resolve;
    setTimeout(resolve, STYLESHEET_TIMEOUT_MS);
    link.rel = 'stylesheet';
  });
  return stylesheet;
}
