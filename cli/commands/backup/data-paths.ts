/** Where the settings put each part of a backup. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Settings } from '../../../settings/schema.ts';
import { resolveLinks } from '../../../tools/sql/sample/database-path.ts';

export interface DataPaths {
  /** A file or the URL of a PostgreSQL database, with the setting that names it. */
  state: { location: string; name: string; isFile: boolean };
  /** Undefined if the part is in another storage. */
  prompts: string | undefined;
  documents: string | undefined;
  datasets: string;
  database: string | undefined;
  /** A sentence for each part that is stored elsewhere. */
  elsewhere: string[];
}

export function dataPathsOf({
  chat_history,
  prompts,
  knowledge_base,
  datasets,
  cloud_sql,
  local_sql_db,
}: Settings): DataPaths {
  const isFile = chat_history.database_type === 'sqlite';
  const isLocal = knowledge_base.mode === 'local' && !isAddress(knowledge_base.documents_path);
  const hasCloud = cloud_sql && cloud_sql.database_name !== 'skip';
  return {
    state: isFile
      ? {
          location: resolve(resolveLinks(chat_history.database_path)),
          name: 'chat_history.database_path',
          isFile,
        }
      : { location: chat_history.connection_string ?? '', name: 'chat_history.connection_string', isFile },
    prompts: prompts.storage === 'local' ? resolve(resolveLinks(prompts.path)) : undefined,
    documents: isLocal ? resolve(resolveLinks(knowledge_base.documents_path)) : undefined,
    datasets: resolve(resolveLinks(datasets.path)),
    database: hasCloud ? undefined : resolve(resolveLinks(local_sql_db.database_path)),
    elsewhere: [
      ...(prompts.storage === 'local' ? [] : [ELSEWHERE[prompts.storage]]),
      ...(isLocal ? [] : ['documents: they are in an object store; back them up there']),
      ...(hasCloud ? ['database: it is on the server of cloud_sql; back it up there'] : []),
    ],
  };
}

const ELSEWHERE = {
  azure: 'prompts: they are in an Azure container; back them up there',
  postgresql: 'prompts: they are in the database; pg_dump --schema=skein saves them',
};

/** Whether it is an address of an object store. */
const isAddress = (path: string) => /^[a-z0-9]+:\/\//.test(path);

export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
