/** Warnings at the start: about the configuration, the project's packages, and its workflows. */
import type { Logger } from 'pino';
import type { PromptStore } from '../../../prompts/store.ts';
import { configNotes } from '../../../runtime/assistants/system-assistants.ts';
import type { Registry } from '../../../runtime/workflows/registry.ts';
import type { LoadedSettings } from '../../../settings/load.ts';
import { secondCopies } from './second-copies.ts';
import { configurationWarnings, revisionWarnings } from './warnings.ts';

export interface WarningParts {
  registry: Registry;
  promptFiles: PromptStore;
  /** Configurations of the graphs in langgraph.json. */
  configs: Parameters<typeof configNotes>[0]['configs'];
  /** Entries of langgraph.json without effect. */
  ignored: string[];
  log: Logger;
}

export async function startWarnings(loaded: LoadedSettings, parts: WarningParts): Promise<string[]> {
  const { registry, promptFiles, configs, ignored, log } = parts;
  const copies = secondCopies(loaded.projectFolder);
  for (const note of copies.notes) log.info(note);
  return [
    ...configurationWarnings(loaded),
    ...copies.warnings,
    ...ignored,
    ...configNotes({ registry, configs }),
    ...registry.workflows.flatMap(({ notes }) => notes),
    ...(await revisionWarnings(registry.workflows, promptFiles)),
    ...registry.workflows.flatMap(({ problem }) =>
      problem ? [`A workflow cannot be loaded: ${problem}`] : [],
    ),
  ];
}
