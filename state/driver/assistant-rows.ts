/** Converts assistants and their versions from and to rows. */
import type { AssistantContent, AssistantVersion, StoredAssistant } from '../resources/assistants.ts';

export interface VersionRow {
  version: number;
  graph: string;
  name: string;
  folded_name: string;
  description: string | null;
  config: string;
  context: string;
  metadata: string;
  created_at: number;
}

export interface AssistantRow extends VersionRow {
  assistant_id: string;
  updated_at: number;
}

export function toAssistant(row: AssistantRow): StoredAssistant {
  return { ...toVersion(row.assistant_id, row), updatedAt: row.updated_at };
}

export function toVersion(assistantId: string, row: VersionRow): AssistantVersion {
  const { version, graph, name, description, config, context, metadata, created_at } = row;
  return {
    ...{ assistantId, version, graph, name, description, createdAt: created_at },
    config: JSON.parse(config),
    context: JSON.parse(context),
    metadata: JSON.parse(metadata),
  };
}

/** The columns of a version's content. */
export function contentColumns({ graph, name, description, config, context, metadata }: AssistantContent) {
  return {
    ...{ graph, name, description },
    folded_name: name.toLowerCase(),
    config: JSON.stringify(config),
    context: JSON.stringify(context),
    metadata: JSON.stringify(metadata),
  };
}
