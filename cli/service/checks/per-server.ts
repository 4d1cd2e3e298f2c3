/** Parts that are local to each server, though the database is shared. */
import type { Settings } from '../../../settings/schema.ts';
import { isAddress } from '../../../tools/knowledge/storage/address.ts';

/** A sentence for each, if several servers may share the database. */
export function perServerWarnings(settings: Settings): string[] {
  if (settings.chat_history.database_type === 'sqlite') return [];
  const { prompts, knowledge_base: documents, cloud_sql: sql } = settings;
  return [
    ...(prompts.storage === 'local'
      ? [
          'prompts.path: the folder is local to this server; with several servers, set prompts.storage to postgresql or azure',
        ]
      : []),
    ...(documents.mode === 'local' && !isAddress(documents.documents_path)
      ? [
          'knowledge_base.documents_path: documents and their index are local to this server, so other servers do not find an upload; set documents_path and index_path to addresses of an object store',
        ]
      : []),
    ...(!sql || sql.database_name === 'skip'
      ? [
          'local_sql_db.database_path: the DuckDB file is local to this server; give every server the same file, or set cloud_sql',
        ]
      : []),
  ];
}
