/** A state as a driver opens it: what the runtime needs, and what serves other parts of the service. */
import type { Archive } from './archive.ts';
import type { AssistantStore } from './assistants.ts';
import type { CronStore } from './crons.ts';
import type { DocumentAuthors } from './document-authors.ts';
import type { MinuteCounters } from './minute-counters.ts';
import type { PromptFiles } from './prompt-files.ts';
import type { SpentTokens } from './spent-tokens.ts';
import type { State } from './state.ts';
import type { Sweeps } from './sweeps.ts';

export interface OpenedState extends State {
  archive: Archive;
  spentTokens: SpentTokens;
  counters: MinuteCounters;
  documentAuthors: DocumentAuthors;
  assistants: AssistantStore;
  crons: CronStore;
  sweeps: Sweeps;
  /** Where servers share the state. */
  promptFiles?: PromptFiles;
}
