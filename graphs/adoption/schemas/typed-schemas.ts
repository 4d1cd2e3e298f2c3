/** What TypeScript's types say of a graph whose channels have no schema at run time, such as `Annotation<string>`. */
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { GraphSource, GraphTypes, TypedSchema } from './graph-types.ts';
import { keepSchemas, keptSchemas } from './kept-schemas.ts';

export interface TypedSchemas {
  /** Undefined without the package that reads types, or if it can't read these. `namespace`: of a graph inside. */
  of(source: GraphSource, namespace?: string): Promise<TypedSchema | undefined>;
  /** Ends what is being read. */
  close(): void;
}

/** An optional peer of skein: LangGraph's own extractor. */
const PACKAGE = '@langchain/langgraph-api/schema';

const PROCESS = join(import.meta.dir, 'read-types-process.ts');
// Some seconds on a free machine.
const PATIENCE_MS = 120_000;
const TYPED = new Set(['.ts', '.mts', '.cts', '.tsx']);

export function openTypedSchemas(log: { warn(fields: object, text: string): void }): TypedSchemas {
  const read = new Map<string, Promise<GraphTypes | undefined>>();
  const stop = new AbortController();
  // The compiler takes up to 1 GB, so one at a time.
  let last: Promise<unknown> = Promise.resolve();

  function typesOf(source: GraphSource): Promise<GraphTypes | undefined> {
    const extractor = isNamed(source) ? extractorFor(source.file) : undefined;
    if (extractor === undefined) return Promise.resolve(undefined);
    // The graph that runs is the one that was loaded, so changes of the file don't count until the next start.
    const name = `${source.file}:${source.export}`;
    const known = read.get(name) ?? found(source, extractor);
    read.set(name, known);
    return known;
  }

  async function found(source: GraphSource, extractor: string): Promise<GraphTypes | undefined> {
    const kept = await keptSchemas(source, extractor);
    if (kept) return kept;
    const turn = last.then(() => extracted(source, extractor, stop.signal));
    last = turn.catch(() => {});
    try {
      const types = await turn;
      await keepSchemas(source, extractor, types);
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

/** The extractor refers to the graph by the name of its export, and `default` is none. */
function isNamed(source: GraphSource): boolean {
  return TYPED.has(extname(source.file)) && source.export !== 'default';
}

/** The project's own. */
function extractorFor(file: string): string | undefined {
  try {
    return Bun.resolveSync(PACKAGE, dirname(file));
  } catch {
    return undefined;
  }
}

/** In a process of its own, which gives its memory back and whose compiler blocks nobody. */
async function extracted(source: GraphSource, extractor: string, signal: AbortSignal): Promise<GraphTypes> {
  signal.throwIfAborted();
  if (!existsSync(source.file)) throw new Error('the file is gone');
  const asked = JSON.stringify({ extractor, source });
  const child = Bun.spawn([process.execPath, '--no-env-file', PROCESS, asked], {
    cwd: dirname(source.file),
    env: { PATH: process.env.PATH },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    signal,
  });
  const [text, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(reasonOf(said));
  return withoutEmpty(JSON.parse(text));
}

/** Bun shows an error that nobody catches between the lines of its source. */
function reasonOf(said: string): string {
  const [, reason = 'the compiler ended without a result'] = /^error: (.*)$/m.exec(said) ?? [];
  return reason.slice(0, 500);
}

/** For a type that it can't tell, such as that of a renamed export, the extractor gives a schema that says nothing. */
function withoutEmpty(types: GraphTypes): GraphTypes {
  const said = Object.entries(types).map(([name, schemas]) => {
    const fields = Object.entries(schemas).filter(([, schema]) =>
      Object.keys(schema).some((key) => key !== '$schema'),
    );
    return [name, Object.fromEntries(fields)];
  });
  return Object.fromEntries(said);
}
