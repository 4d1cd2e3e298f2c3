/** Writes a DuckDB file in a process and keeps it open until the process is killed. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const PROGRAM = `
  import { DuckDBInstance } from '@duckdb/node-api';
  const [path, ...statements] = process.argv.slice(1);
  const connection = await (await DuckDBInstance.create(path)).connect();
  for (const statement of statements) await connection.run(statement);
  console.log('done');
  setInterval(() => connection, 1000);
`;

/** Resolves when all statements are committed. */
export async function spawnWriter(
  path: string,
  statements: readonly string[],
  folder?: string,
): Promise<{ kill(): Promise<void> }> {
  mkdirSync(dirname(path), { recursive: true });
  const inFolder = folder === undefined ? [] : [`SET file_search_path = '${folder}'`];
  const child = Bun.spawn([process.execPath, '-e', PROGRAM, path, ...inFolder, ...statements], {
    cwd: import.meta.dir,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const { value } = await child.stdout.getReader().read();
  if (!value) throw new Error(`The writer failed: ${await new Response(child.stderr).text()}`);
  return {
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}
