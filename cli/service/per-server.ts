/** Parts of a service that every server of a database has for itself. */
import type { Settings } from '../../settings/schema.ts';
import { isAddress } from '../../tools/knowledge/storage/address.ts';

/** A sentence each, where several servers may share the database. */
export function perServerWarnings(settings: Settings): string[] {
  if (settings.chat_history.database_type === 'sqlite') return [];
  const { prompts, knowledge_base: documents, cloud_sql: sql } = settings;
  return [
    ...(prompts.storage === 'local'
      ? [
          'prompts.path: prompt files in a local folder are of this server alone; with several servers set prompts.storage to postgresql or azure',
        ]
      : []),
    ...(documents.mode === 'local' && !isAddress(documents.documents_path)
      ? [
          'knowledge_base.documents_path: local documents and their index are of this server alone; an upload is not found at other servers; set documents_path and index_path to addresses of an object store',
        ]
      : []),
    ...(!sql || sql.database_name === 'skip'
      ? [
          'local_sql_db.database_path: the DuckDB file is of this server alone; give every server the same file, or set cloud_sql',
        ]
      : []),
  ];
}
