/** A run whose event stream this page reads. The view is updated several times a second. */
import { useSyncExternalStore } from 'react';
import type { RunStreamEvent } from '../../client/run-events.ts';
import { EMPTY_RUN_VIEW, type RunView, withEvent } from '../data/runs/run-view.ts';

export interface LiveRun {
  view(): LiveView;
  /** All events so far. The array grows in place; subscribe for changes. */
  readonly log: RunStreamEvent[];
  subscribe(changed: () => void): () => void;
  /** Stops reading. The run continues. */
  stop(): void;
  /** Resolves at the end of the stream, also after an error. */
  readonly over: Promise<void>;
}

export interface LiveView extends RunView {
  /** Why the stream ended early: the service rejected the request, or it can't be reached. */
  failure: Error | undefined;
}

// More frequent updates can't be read and cost rendering time.
const UPDATE_MS = 50;

export function liveRun(listen: (signal: AbortSignal) => AsyncIterable<RunStreamEvent>): LiveRun {
  const listeners = new Set<() => void>();
  const controller = new AbortController();
  let shown: LiveView = { ...EMPTY_RUN_VIEW, failure: undefined };
  let latest: LiveView = shown;
  const log: RunStreamEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  function update(): void {
    clearTimeout(timer);
    timer = undefined;
    if (shown === latest || controller.signal.aborted) return;
    shown = latest;
    for (const listener of listeners) listener();
  }

  async function run(): Promise<void> {
    try {
      for await (const event of listen(controller.signal)) {
        log.push(event);
        latest = { ...withEvent(latest, event, Date.now()), failure: undefined };
        timer ??= setTimeout(update, UPDATE_MS);
      }
    } catch (error) {
      if (controller.signal.aborted) return;
      latest = { ...latest, failure: error instanceof Error ? error : new Error(String(error)) };
    }
    update();
  }

  return {
    view: () => shown,
    log,
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    stop() {
      controller.abort();
      clearTimeout(timer);
    },
    over: run(),
  };
}

export function useLiveRun(live: LiveRun | undefined): LiveView | undefined {
  return useSyncExternalStore(live?.subscribe ?? never, () => live?.view());
}

const never = () => () => {};
