/** Datasets: files of cases in a folder of the project. Users may also edit the files by hand. */
import { join } from 'node:path';
import type { Folder } from '../../prompts/local/folder.ts';
import { SkeinError } from '../../state/errors.ts';
import type { Case } from './cases.ts';
import { fileLocks } from './file-lock.ts';
import { inCreatedFolder, inFolder } from './folder.ts';
import { checkDataset, datasetIn, fileOf, noDataset } from './names.ts';
import {
  caseOf,
  type Dataset,
  datasetOf,
  refuseBroken,
  refuseSameName,
  type StoredCase,
  storedCase,
} from './stored-case.ts';

export const MAX_CASES = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Methods throw INVALID_REQUEST for an invalid name, NOT_FOUND, and CONFIGURATION_ERROR for an unusable folder or file. */
export interface Datasets {
  /** Sorted by name. */
  list(): Promise<Dataset[]>;
  read(name: string): Promise<Dataset>;
  /** Appends a case; creates the dataset if it doesn't exist. Throws PAYLOAD_TOO_LARGE if the dataset is full. */
  add(name: string, added: Case): Promise<StoredCase>;
  /** Throws NOT_FOUND if the case was changed or removed in the meantime. */
  update(name: string, caseId: string, after: Case): Promise<StoredCase>;
  /** Throws NOT_FOUND if the case was changed or removed in the meantime. Removing the last case removes the dataset. */
  remove(name: string, caseId: string): Promise<void>;
}

/** Computes the new lines of a file, and the result of the change. */
type Change<T> = (dataset: Dataset, lines: string[]) => { lines: string[]; gives: T };

export function datasetsIn(path: string): Datasets {
  const withLock = fileLocks();

  /** Replaces the file. If it has changed since it was read, for example in an editor, reads it again and repeats the change. */
  async function change<T>(name: string, work: Change<T>): Promise<T> {
    checkDataset(name);
    const file = fileOf(name);
    const attempt = async (root: Folder) => {
      const found = await root.read(file, MAX_BYTES);
      const dataset = datasetOf(name, found?.bytes ?? new Uint8Array(), found?.modified ?? new Date());
      refuseBroken(dataset);
      const { lines, gives } = work(dataset, linesOf(found?.bytes));
      const text = lines.join('\n');
      if (Buffer.byteLength(text) > MAX_BYTES) throw full(name);
      const now = await root.entry(file);
      if (now?.kind === 'file' && now.stamp !== found?.stamp) return undefined;
      if (text.trim() === '') await root.remove(file);
      else await root.write(file, Buffer.from(text));
      return { gives };
    };
    return inCreatedFolder(path, [], (root) =>
      withLock(join(path, `.${name}.lock`), async () => {
        for (;;) {
          const done = await attempt(root);
          if (done) return done.gives;
        }
      }),
    );
  }

  return {
    async list() {
      const found = await inFolder(path, async (root) => {
        const names = (await root.files()).flatMap((file) => datasetIn(file) ?? []);
        const all = await Array.fromAsync(names.toSorted(), (name) => read(root, name));
        return all.filter((one) => one !== undefined);
      });
      return found ?? [];
    },
    async read(name) {
      checkDataset(name);
      const found = await inFolder(path, (root) => read(root, name));
      if (!found) throw noDataset(name);
      return found;
    },
    add: (name, added) =>
      change(name, ({ cases }, lines) => {
        if (cases.length >= MAX_CASES) throw full(name);
        refuseSameName(added, cases);
        const own = { id: newName(), ...added };
        const text = JSON.stringify(own);
        const before = lines.at(-1)?.trim() === '' ? lines.slice(0, -1) : lines;
        return { lines: [...before, text, ''], gives: storedCase(before.length + 1, text, own) };
      }),
    update: (name, caseId, after) =>
      change(name, (dataset, lines) => {
        const { line } = caseOf(dataset, caseId);
        const others = dataset.cases.filter((one) => one.line !== line);
        refuseSameName(after, others);
        const text = JSON.stringify(after);
        return { lines: lines.with(line - 1, text), gives: storedCase(line, text, after) };
      }),
    remove: (name, caseId) =>
      change(name, (dataset, lines) => {
        const { line } = caseOf(dataset, caseId);
        return { lines: lines.toSpliced(line - 1, 1), gives: undefined };
      }),
  };
}

/** Undefined if the file doesn't exist. A file that is too large is a dataset with that problem. */
async function read(root: Folder, name: string): Promise<Dataset | undefined> {
  const file = fileOf(name);
  const { bytes: size = 0 } = (await root.entry(file)) ?? {};
  if (size > MAX_BYTES) {
    const reason = `the file is larger than ${MAX_BYTES} bytes`;
    return { name, cases: [], problems: [{ line: 1, column: 1, reason }], updatedAt: new Date(0) };
  }
  const found = await root.read(file, MAX_BYTES);
  return found && datasetOf(name, found.bytes, found.modified);
}

function linesOf(bytes: Uint8Array | undefined): string[] {
  return bytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split('\n') : [];
}

/** A unique name that is short enough for reports. */
function newName(): string {
  return `case-${crypto.randomUUID().slice(0, 8)}`;
}

function full(name: string): SkeinError {
  const detail = `the dataset '${name}' can have at most ${MAX_CASES} cases and ${MAX_BYTES} bytes; create another one`;
  return new SkeinError('PAYLOAD_TOO_LARGE', { message: 'The dataset is full', detail });
}
