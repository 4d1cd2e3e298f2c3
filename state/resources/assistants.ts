/** Assistants that callers create: a graph with its own config and context. Every change creates a new version. */

type Mapping = Record<string, unknown>;

/** The content of a version. */
export interface AssistantContent {
  /** The graph's name. */
  graph: string;
  name: string;
  description: string | null;
  config: Mapping;
  context: Mapping;
  metadata: Mapping;
}

/** Times are milliseconds since 1970. */
export interface AssistantVersion extends AssistantContent {
  assistantId: string;
  version: number;
  createdAt: number;
}

/** An assistant with its current version. `createdAt` is the time of its first version. */
export interface StoredAssistant extends AssistantVersion {
  updatedAt: number;
}

interface AssistantFilter {
  /** Fields that must be equal. */
  metadata?: Mapping | undefined;
  graph?: string | undefined;
  /** A substring of the name, case-insensitive. */
  name?: string | undefined;
}

export interface AssistantSearch extends AssistantFilter {
  owner: string;
  /** Assistants that are not stored, included in the search. A stored one of the owner with the same id takes precedence. */
  others: StoredAssistant[];
  sortBy: 'assistant_id' | 'graph_id' | 'name' | 'created_at' | 'updated_at';
  descending: boolean;
  limit: number;
  offset: number;
}

export interface VersionPage {
  metadata?: Mapping | undefined;
  limit: number;
  offset: number;
}

export interface AssistantStore {
  /** Returns false, and changes nothing, if the owner has an assistant with this id. */
  create(owner: string, assistantId: string, content: AssistantContent, at: number): Promise<boolean>;
  find(owner: string, assistantId: string): Promise<StoredAssistant | undefined>;
  /** `total`: the number of results on all pages. */
  search(search: AssistantSearch): Promise<{ items: StoredAssistant[]; total: number }>;
  /** Creates a new version from the current one and merges metadata. Undefined if the assistant does not exist. */
  change(
    owner: string,
    assistantId: string,
    change: Partial<AssistantContent>,
    at: number,
  ): Promise<StoredAssistant | undefined>;
  /** Newest first. */
  versions(owner: string, assistantId: string, page: VersionPage): Promise<AssistantVersion[]>;
  /** Makes another version the current one. False if the version does not exist. */
  setVersion(owner: string, assistantId: string, version: number, at: number): Promise<boolean>;
  /** Deletes the assistant with all its versions. False if it does not exist. */
  remove(owner: string, assistantId: string): Promise<boolean>;
}
