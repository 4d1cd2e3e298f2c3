/** A run that this page listens to: its events are taken as they come, and shown a few times a second. */
import { useSyncExternalStore } from 'react';
import type { RunStreamEvent } from '../../client/run-events.ts';
import { NOTHING_YET, type RunView, withEvent } from '../data/run-view.ts';

export interface LiveRun {
  view(): LiveView;
  /** All events so far; it grows in place, and `view` says when. */
  readonly log: RunStreamEvent[];
  subscribe(changed: () => void): () => void;
  /** Leaves the run alone and listens no more. */
  stop(): void;
  /** Resolves at the run's end, or where nothing more will come. */
  readonly over: Promise<void>;
}

export interface LiveView extends RunView {
  /** Why nothing more is heard: the service refused the run, or cannot be reached. */
  failure: Error | undefined;
}

// Faster is not read, and each picture costs.
const SHOW_MS = 50;

export function liveRun(listen: (signal: AbortSignal) => AsyncIterable<RunStreamEvent>): LiveRun {
  const listeners = new Set<() => void>();
  const leaving = new AbortController();
  let shown: LiveView = { ...NOTHING_YET, failure: undefined };
  let heard: LiveView = shown;
  const log: RunStreamEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function show(): void {
    clearTimeout(timer);
    timer = undefined;
    if (shown === heard || leaving.signal.aborted) return;
    shown = heard;
    for (const listener of listeners) listener();
  }

  async function run(): Promise<void> {
    try {
      for await (const event of listen(leaving.signal)) {
        log.push(event);
        heard = { ...withEvent(heard, event, Date.now()), failure: undefined };
        timer ??= setTimeout(show, SHOW_MS);
      }
    } catch (error) {
      if (leaving.signal.aborted) return;
      heard = { ...heard, failure: error instanceof Error ? error : new Error(String(error)) };
    }
    show();
  }

  return {
    view: () => shown,
    log,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    stop() {
      leaving.abort();
      clearTimeout(timer);
    },
    over: run(),
  };
}

export function useLiveRun(live: LiveRun | undefined): LiveView | undefined {
  return useSyncExternalStore(live?.subscribe ?? never, () => live?.view());
}

const never = () => () => {};
