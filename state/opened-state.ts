/** The state that a driver opens: what the runtime needs, plus the stores of other parts of the service. */
import type { Archive } from './archive.ts';
import type { AssistantStore } from './assistants.ts';
import type { BudgetStore } from './budgets.ts';
import type { CronStore } from './crons.ts';
import type { DocumentAuthors } from './document-authors.ts';
import type { Erasure } from './erasure.ts';
import type { MinuteCounters } from './minute-counters.ts';
import type { PromptFiles } from './prompt-files.ts';
import type { RetentionHour } from './retention-hour.ts';
import type { RunSearch } from './search/search.ts';
import type { SpentTokens } from './spent-tokens.ts';
import type { State } from './state.ts';
import type { Sweeps } from './sweeps.ts';
import type { UsageStore } from './usage-store.ts';

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
