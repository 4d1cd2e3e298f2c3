/** Schemas from TypeScript types, for graphs whose channels have no runtime schema, such as `Annotation<string>`. */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { cachedSchemas, cacheSchemas } from './cached-schemas.ts';
import type { GraphSource, GraphTypes, TypedSchema } from './graph-types.ts';

export interface TypedSchemas {
  /** Undefined if the package that reads types is missing or can't read these types. `namespace`: that of a subgraph. */
  of(source: GraphSource, namespace?: string): Promise<TypedSchema | undefined>;
  /** Stops reading. */
  close(): void;
}

/** LangGraph's own extractor, an optional peer dependency. */
const PACKAGE = '@langchain/langgraph-api/schema';

const PROCESS = join(import.meta.dir, 'read-types-process.ts');
// Takes a few seconds on an idle machine.
const PATIENCE_MS = 120_000;
const TYPED = new Set(['.ts', '.mts', '.cts', '.tsx']);

export function openTypedSchemas(log: { warn(fields: object, text: string): void }): TypedSchemas {
  const read = new Map<string, Promise<GraphTypes | undefined>>();
  const stop = new AbortController();
  // The compiler takes up to 1 GB, so run one at a time.
  let last: Promise<unknown> = Promise.resolve();

  function typesOf(source: GraphSource): Promise<GraphTypes | undefined> {
    const extractor = isNamed(source) ? extractorFor(source.file) : undefined;
    if (extractor === undefined) return Promise.resolve(undefined);
    // The loaded graph stays in use, so changes of the file only take effect with the next start.
    const name = `${source.file}:${source.export}`;
    const known = read.get(name) ?? found(source, extractor);
    read.set(name, known);
    return known;
  }

  async function found(source: GraphSource, extractor: string): Promise<GraphTypes | undefined> {
    const cached = await cachedSchemas(source, extractor);
    if (cached) return cached;
    const turn = last.then(() => extracted(source, extractor, stop.signal));
    last = turn.catch(() => {});
    try {
      const types = await turn;
      await cacheSchemas(source, extractor, types);
      return types;
    } catch (err) {
      if (!stop.signal.aborted)
        log.warn({ err }, `the types of ${source.export} in ${source.file} cannot be read`);
      return undefined;
    }
  }

  return {
    async of(source, namespace) {
      const types = await typesOf(source);
      return types?.[namespace === undefined ? source.export : `${source.export}|${namespace}`];
    },
    close: () => stop.abort(),
  };
}

/** The extractor uses the name of the export as an identifier, which `default` is not. */
function isNamed(source: GraphSource): boolean {
  return TYPED.has(extname(source.file)) && source.export !== 'default';
}

/** The path of the project's own extractor; undefined if it is not installed. */
function extractorFor(file: string): string | undefined {
  try {
    return Bun.resolveSync(PACKAGE, dirname(file));
  } catch {
    return undefined;
  }
}

/** Runs in a separate process, so that its memory is freed and nothing else is blocked. */
async function extracted(source: GraphSource, extractor: string, signal: AbortSignal): Promise<GraphTypes> {
  signal.throwIfAborted();
  if (!existsSync(source.file)) throw new Error('the file no longer exists');
  const input = JSON.stringify({ extractor, source });
  const child = Bun.spawn([process.execPath, '--no-env-file', PROCESS, input], {
    cwd: dirname(source.file),
    env: { PATH: process.env.PATH },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    signal,
  });
  const [text, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(reasonOf(stderr));
  return withoutEmpty(JSON.parse(text));
}

/** Bun prints an uncaught error between the lines of its source. */
function reasonOf(stderr: string): string {
  const [, reason = 'the compiler exited without a result'] = /^error: (.*)$/m.exec(stderr) ?? [];
  return reason.slice(0, 500);
}

/** Removes empty schemas, which the extractor returns for types that it can't resolve, such as that of a renamed export. */
function withoutEmpty(types: GraphTypes): GraphTypes {
  const entries = Object.entries(types).map(([name, schemas]) => {
    const fields = Object.entries(schemas).filter(([, schema]) =>
      Object.keys(schema).some((key) => key !== '$schema'),
    );
    return [name, Object.fromEntries(fields)];
  });
  return Object.fromEntries(entries);
}
