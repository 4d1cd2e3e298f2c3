/** The state that a driver opens: what the runtime needs, plus the stores of other parts of the service. */

import type { DocumentAuthors } from './callers/document-authors.ts';
import type { Erasure } from './callers/erasure.ts';
import type { MinuteCounters } from './callers/minute-counters.ts';
import type { SpentTokens } from './callers/spent-tokens.ts';
import type { RetentionHour } from './cluster/retention-hour.ts';
import type { Sweeps } from './cluster/sweeps.ts';
import type { AssistantStore } from './resources/assistants.ts';
import type { CronStore } from './resources/crons.ts';
import type { PromptFiles } from './resources/prompt-files.ts';
import type { RunSearch } from './search/search.ts';
import type { State } from './state.ts';
import type { Archive } from './threads/archive.ts';
import type { BudgetStore } from './usage/budgets.ts';
import type { UsageStore } from './usage/usage-store.ts';

export interface OpenedState extends State {
  archive: Archive;
  spentTokens: SpentTokens;
  counters: MinuteCounters;
  documentAuthors: DocumentAuthors;
  erasure: Erasure;
  assistants: AssistantStore;
  crons: CronStore;
  usage: UsageStore;
  search: RunSearch;
  budgets: BudgetStore;
  sweeps: Sweeps;
  /** Long-running work of one server. If that server fails, another one takes it over within two lease times. */
  leases: Sweeps;
  retentionHour: RetentionHour;
  /** Present if servers share the state. */
  promptFiles?: PromptFiles;
}
