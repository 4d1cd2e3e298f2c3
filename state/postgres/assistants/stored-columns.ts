/** The columns of a version on PostgreSQL, which parses the metadata. */

import { contentColumns } from '../../driver/assistant-rows.ts';
import type { AssistantContent } from '../../resources/assistants.ts';
import { document, type Value } from '../database/database.ts';

export function storedColumns(content: AssistantContent) {
  return { ...contentColumns(content), metadata: document(content.metadata) };
}

export const CONTENT_COLUMNS = 'graph, name, folded_name, description, config, context, metadata';

/** The values in the order of `CONTENT_COLUMNS`. */
export function contentValues(content: AssistantContent): Value[] {
  const { graph, name, folded_name, description, config, context, metadata } = storedColumns(content);
  return [graph, name, folded_name, description, config, context, metadata];
}
