/** Trials: turns and model calls that are repeated with changes, outside of the threads. They share the slots of the runs. */
import { scratchItems } from '../state/items/scratch.ts';
import type { State } from '../state/state.ts';
import { type DryRunParts, type DryRuns, dryRuns } from './dry-runs/dry-run.ts';
import { type EarlierTurnsParts, earlierTurns } from './dry-runs/earlier-turns.ts';
import { createRerunTurn, type RerunParts } from './dry-runs/rerun-turn.ts';
import { type ReplayParts, type Replays, replays } from './replays/replay.ts';
import { storesOf } from './run/store/run-store.ts';
import type { StoreIndex, StoreOptions } from './store-options.ts';
import type { TrialQueue } from './trials/trial-queue.ts';

export interface TrialRuns {
  /** Runs a caller's latest turns again with a draft of a prompt file; stores nothing. */
  dryRun: DryRuns['run'];
  /** Sends a changed model call of a caller's run again; stores only its usage. */
  replay: Replays['run'];
  sendCall: Replays['send'];
}

export interface TrialRunsParts
  extends ReplayParts,
    Omit<RerunParts, 'counted' | 'scratchStoreOf'>,
    Pick<DryRunParts, 'openSandbox' | 'registry'> {
  state: ReplayParts['state'] & Pick<State, 'runs' | 'items' | 'checkpointer'>;
  archive: EarlierTurnsParts['archive'];
  store: StoreOptions;
  storeIndex?: StoreIndex | undefined;
  /** Throws if the runtime doesn't accept work now. */
  refuseUnready(): void;
}

export function trialRuns(parts: TrialRunsParts): TrialRuns & Pick<TrialQueue, 'settled' | 'stop'> {
  const { state, archive, store, storeIndex, refuseUnready } = parts;
  const replayed = replays(parts);
  const dry = dryRuns({
    ...parts,
    runs: state.runs,
    earlier: earlierTurns({ archive, runs: state.runs, checkpointer: state.checkpointer }),
    rerunTurn: createRerunTurn({
      ...parts,
      counted: state.budgets.counted,
      scratchStoreOf: (owner) => storesOf(scratchItems(state.items), store, storeIndex)(owner),
    }),
  });

  return {
    async dryRun(request) {
      refuseUnready();
      return dry.run(request);
    },
    async replay(request) {
      refuseUnready();
      return replayed.run(request);
    },
    async sendCall(request) {
      refuseUnready();
      return replayed.send(request);
    },
    settled: () => Promise.all([dry.settled(), replayed.settled()]),
    stop() {
      dry.stop();
      replayed.stop();
    },
  };
}
