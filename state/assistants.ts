/** Assistants that callers made: a graph with a config and a context of its own, in versions. */

type Mapping = Record<string, unknown>;

/** What a version consists of. */
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

/** An assistant as its current version says. `createdAt` is the time of its first version. */
export interface StoredAssistant extends AssistantVersion {
  updatedAt: number;
}

export interface AssistantFilter {
  /** Fields that must be equal. */
  metadata?: Mapping | undefined;
  graph?: string | undefined;
  /** A part of the name, in any case. */
  name?: string | undefined;
}

export interface AssistantSearch extends AssistantFilter {
  owner: string;
  /** Searched as well, each unless the owner has an assistant of the same id. */
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
  /** Returns false, and changes nothing, if the owner has an assistant of this id. */
  create(owner: string, assistantId: string, content: AssistantContent, at: number): Promise<boolean>;
  find(owner: string, assistantId: string): Promise<StoredAssistant | undefined>;
  /** `total`: the number of results on all pages. */
  search(search: AssistantSearch): Promise<{ items: StoredAssistant[]; total: number }>;
  /** Makes a new version of the current one; metadata is merged. Undefined if there is no such assistant. */
  change(
    owner: string,
    assistantId: string,
    change: Partial<AssistantContent>,
    at: number,
  ): Promise<StoredAssistant | undefined>;
  /** Newest first. */
  versions(owner: string, assistantId: string, page: VersionPage): Promise<AssistantVersion[]>;
  /** Makes an earlier or later version the current one. False if there is no such version. */
  setVersion(owner: string, assistantId: string, version: number, at: number): Promise<boolean>;
  /** Deletes it with all versions. False if there is none. */
  remove(owner: string, assistantId: string): Promise<boolean>;
}
