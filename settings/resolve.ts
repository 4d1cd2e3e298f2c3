/** Resolves validated settings: relative paths become absolute, and `seed_samples` becomes true or false. */
import { resolve } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { mapLeaves } from '../state/schema/walk-schema.ts';
import { KnowledgeBaseOptions } from '../tools/knowledge/options.ts';
import { isAddress } from '../tools/knowledge/storage/address.ts';
import { LocalSqlOptions } from '../tools/sql/options.ts';
import { Settings } from './schema.ts';
import type { Origin } from './sourced.ts';

export interface Whereabouts {
  where: ReadonlyMap<string, Origin>;
  cwd: string;
}

/** A path is relative to the folder of its source, and a default path to the working directory. */
export function resolved(settings: Settings, { where, cwd }: Whereabouts): Settings {
  const value = mapLeaves({ schema: Settings, value: settings, path: '' }, (leaf) =>
    leaf.schema?.path === true && typeof leaf.value === 'string' && !isAddress(leaf.value)
      ? resolve(where.get(leaf.path)?.folder ?? cwd, leaf.value)
      : leaf.value,
  );
  Value.Assert(Settings, value);
  return withSeeding(value, cwd);
}

/** Sample data is only created at the default path or on request, so a mistyped path never gets any. */
function withSeeding(settings: Settings, cwd: string): Settings {
  const { knowledge_base: library, local_sql_db: database } = settings;
  const isDefault = (path: string, field: { default?: string }) => path === resolve(cwd, field.default ?? '');
  const { documents_path } = KnowledgeBaseOptions.properties;
  const { database_path } = LocalSqlOptions.properties;
  return {
    ...settings,
    knowledge_base: {
      ...library,
      seed_samples: library.seed_samples ?? isDefault(library.documents_path, documents_path),
    },
    local_sql_db: {
      ...database,
      seed_samples: database.seed_samples ?? isDefault(database.database_path, database_path),
    },
  };
}
