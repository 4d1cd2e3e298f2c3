/** Verifies a whole backup before anything changes: every file exists, has its digest and is usable. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { examineSnapshot, SCHEMA_VERSION } from '../../../state/transfer/snapshot.ts';
import { digestOf } from '../backup/files.ts';
import { damaged, type Manifest, readManifest } from '../backup/manifest.ts';
import { STATE_FILE } from '../backup/save.ts';

/** Throws INTERNAL_ERROR. */
export async function verifiedBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  const { schema_version: version, service_version: service } = manifest;
  if (version > SCHEMA_VERSION)
    throw damaged(
      folder,
      `skein ${service} created it with schema version ${version}, but this version only supports ${SCHEMA_VERSION}. Upgrade Skein`,
    );
  for (const { path, bytes, sha256 } of manifest.files) {
    const file = join(folder, path);
    if (!existsSync(file)) throw damaged(folder, `${path} is missing`);
    const found = await digestOf(file);
    if (found.bytes !== bytes || found.sha256 !== sha256) throw damaged(folder, `${path} is damaged`);
  }
  if (manifest.parts.includes('state')) checkState(folder, version);
  return manifest;
}

function checkState(folder: string, version: number): void {
  const found = examineSnapshot(join(folder, STATE_FILE));
  if ('problem' in found) throw damaged(folder, `${STATE_FILE}: ${found.problem}`);
  if (found.version !== version)
    throw damaged(folder, `${STATE_FILE} has a different schema version than the manifest`);
}
