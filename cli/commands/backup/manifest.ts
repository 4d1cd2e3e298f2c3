/** The manifest of a backup: every file with its digest. It is written last, so a backup without one is incomplete. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { SkeinError } from '../../../state/errors.ts';
import { writeWhole } from './files.ts';

const MANIFEST = 'manifest.json';
const FORMAT = 2;
/** Versions before datasets know this one. */
const WITHOUT_DATASETS = 1;

/** The parts of a backup. `state` is a SQLite file, whichever database the service uses. */
const PARTS = ['state', 'prompts', 'documents', 'datasets', 'database'] as const;
export type Part = (typeof PARTS)[number];

const SavedFile = Type.Object({
  part: Type.Union(PARTS.map((part) => Type.Literal(part))),
  /** Relative to the backup's folder, with `/`. */
  path: Type.String({ minLength: 1 }),
  bytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type SavedFile = Static<typeof SavedFile>;

const Manifest = Type.Object({
  format: Type.Union([Type.Literal(WITHOUT_DATASETS), Type.Literal(FORMAT)]),
  service_version: Type.String(),
  schema_version: Type.Integer({ minimum: 1 }),
  created_at: Type.String(),
  /** A part without files is an empty folder. */
  parts: Type.Array(Type.Union(PARTS.map((part) => Type.Literal(part)))),
  files: Type.Array(SavedFile),
});
export type Manifest = Static<typeof Manifest>;

export async function writeManifest(folder: string, manifest: Omit<Manifest, 'format'>): Promise<void> {
  const format = manifest.parts.includes('datasets') ? FORMAT : WITHOUT_DATASETS;
  const whole: Manifest = { format, ...manifest };
  const text = JSON.stringify({ ...whole, sha256: digestOf(whole) }, null, 2);
  await writeWhole(join(folder, MANIFEST), `${text}\n`);
}

/** Throws INTERNAL_ERROR if the manifest is missing or incomplete. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause;
    throw damaged(folder, `${MANIFEST} is missing: this is not a backup, or the backup was interrupted`);
  });
  const { sha256, ...manifest } = parsed(text) ?? {};
  const { format } = manifest as { format?: unknown };
  if (typeof format === 'number' && format > FORMAT)
    throw damaged(folder, `its format is ${format}, but this version only supports ${FORMAT}. Upgrade Skein`);
  if (!Value.Check(Manifest, manifest) || sha256 !== digestOf(manifest))
    throw damaged(folder, `${MANIFEST} is damaged`);
  const unsafe = manifest.files.find(({ path, part }) => !isBelow(path, part));
  if (unsafe) throw damaged(folder, `${MANIFEST} names a file outside the backup`);
  return manifest;
}

/** The error that rejects a backup. */
export function damaged(folder: string, reason: string): SkeinError {
  return new SkeinError('INTERNAL_ERROR', {
    message: `The backup in ${folder} cannot be restored, and nothing was changed: ${reason}`,
  });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(manifest: unknown): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

function isBelow(path: string, part: Part): boolean {
  const names = path.split('/');
  return names[0] === part && names.every((name) => !['', '.', '..'].includes(name) && !name.includes('\0'));
}
