/** Everything that must pass, in order: format and lint, types, tests, checkpointer validation. Ends with the counts. */
import { join } from 'node:path';

interface Step {
  name: string;
  command: string[];
  /** How the runner says how many passed and failed; a step without counts as one. */
  passed?: RegExp;
  failed?: RegExp;
}

const bin = (name: string) => join('node_modules', '.bin', name);

const STEPS: Step[] = [
  { name: 'format and lint', command: [bin('biome'), 'check', '--error-on-warnings', '.'] },
  { name: 'types', command: [bin('tsc'), '--noEmit'] },
  { name: 'types of the studio', command: [bin('tsc'), '--noEmit', '--project', 'studio'] },
  {
    name: 'tests',
    command: [process.execPath, 'test'],
    passed: /^ *(\d+) pass$/m,
    failed: /^ *(\d+) fail$/m,
  },
  {
    name: 'checkpointer validation',
    command: [process.execPath, '--bun', bin('vitest'), 'run', '--reporter=dot', '--no-color'],
    passed: /Tests .*?(\d+) passed/,
    failed: /Tests .*?(\d+) failed/,
  },
];

let passed = 0;
let failed = 0;
for (const step of STEPS) {
  console.log(`\n== ${step.name}`);
  const { ok, output } = await run(step.command);
  const [good, bad] = [count(step.passed, output), count(step.failed, output)];
  passed += good ?? Number(ok);
  // A runner that fails before it counts has failed once.
  failed += bad || Number(!ok);
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

async function run(command: string[]): Promise<{ ok: boolean; output: string }> {
  const child = Bun.spawn(command, { cwd: join(import.meta.dir, '..'), stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([
    pass(child.stdout, process.stdout),
    pass(child.stderr, process.stderr),
  ]);
  return { ok: (await child.exited) === 0, output: out + err };
}

async function pass(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<string> {
  let text = '';
  for await (const piece of from) {
    to.write(piece);
    text += new TextDecoder().decode(piece);
  }
  return text;
}

function count(pattern: RegExp | undefined, output: string): number | undefined {
  const found = pattern?.exec(output)?.[1];
  return found === undefined ? undefined : Number(found);
}
