/** Prompt files in the database that servers share. */
import type { PromptFiles, StoredPrompt } from '../../state/resources/prompt-files.ts';
import type { PromptBackend } from '../layered-store.ts';
import { isPromptFile, isRevision, type PromptName } from '../names.ts';
import { MAX_PROMPT_BYTES, type PromptVersion } from '../store.ts';

interface PostgresBackendParts {
  files: PromptFiles;
  /** Called after this process has activated a version. */
  wrote(): void;
}

export function postgresBackend({ files, wrote }: PostgresBackendParts): PromptBackend {
  async function bytesOf(name: PromptName, version: number): Promise<Uint8Array> {
    const found = await files.read(name, { mostBytes: MAX_PROMPT_BYTES, version });
    if (!found) throw new Unusable('a version is missing');
    return contentOf(found);
  }

  return {
    name: 'postgresql',
    async files(revision) {
      const found = new Map<string, string[]>();
      for (const key of await files.keys()) {
        if (revision !== undefined && key.revision !== revision) continue;
        if (!isRevision(key.revision) || !isPromptFile(key.file)) continue;
        found.set(key.revision, [...(found.get(key.revision) ?? []), key.file]);
      }
      return found;
    },
    async current(name) {
      const found = await files.read(name, { mostBytes: MAX_PROMPT_BYTES });
      return found && { ...versionOf(found), bytes: contentOf(found) };
    },
    async recorded(name) {
      const earlier = await files.earlier(name);
      return earlier.map((one) => ({ ...versionOf(one), bytes: () => bytesOf(name, one.version) }));
    },
    async replace(name, before, { bytes, author, created_at }) {
      const createdAt = created_at === null ? Date.now() : Date.parse(created_at);
      const saved = await files.replace(name, before?.version, { content: bytes, author, createdAt });
      if (!saved) return undefined;
      wrote();
      return { ...versionOf(saved), bytes };
    },
    async check() {
      await files.change();
    },
    reasonOf: databaseReason,
  };
}

class Unusable extends Error {}

/** Throws if a file is too large. */
export function contentOf({ content }: { content: Uint8Array | null }): Uint8Array {
  if (!content) throw new Unusable(`larger than ${MAX_PROMPT_BYTES} bytes`);
  return content;
}

/** PostgreSQL's code, without its message. */
export function databaseReason(error: unknown): string {
  if (error instanceof Unusable) return error.message;
  const { errno } = (error ?? {}) as { errno?: unknown };
  return typeof errno === 'string' && /^[0-9A-Z]{5}$/.test(errno) ? `SQLSTATE ${errno}` : 'unexpected';
}

function versionOf({ version, createdAt, author, size }: StoredPrompt): PromptVersion {
  return { version, created_at: new Date(createdAt).toISOString(), author, size };
}
