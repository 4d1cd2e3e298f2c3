/** The documents that workflows search: an index of the cloud where it is asked for, else the local folder. */
import { configurationError } from '../../../state/errors.ts';
import { openCloudLibrary } from './cloud/open.ts';
import type { Library } from './library.ts';
import type { CloudSearchOptions, KnowledgeBaseOptions } from './options.ts';

export type OpenLibrary = () => Library;

export interface KnowledgeBase {
  /** What it is, for people. */
  description: string;
  /** The same library each time. Throws CONFIGURATION_ERROR. */
  open: OpenLibrary;
  start(): Promise<void>;
  close(): Promise<void>;
}

export function openKnowledgeBase(options: {
  knowledgeBase: KnowledgeBaseOptions;
  cloud: CloudSearchOptions | undefined;
}): KnowledgeBase {
  const isCloud = options.knowledgeBase.mode === 'cloud';
  let library: Library | undefined;
  return {
    description: isCloud ? 'cloud search (Azure AI Search, experimental)' : 'local vector store (LanceDB)',
    open() {
      if (!isCloud) throw configurationError('knowledge_base.mode', 'local is not there yet');
      library ??= openCloudLibrary(options.cloud);
      return library;
    },
    start: async () => {},
    close: async () => library?.close(),
  };
}
