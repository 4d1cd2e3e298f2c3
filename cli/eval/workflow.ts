/** `skein eval WORKFLOW CASES`: how many cases of a file a workflow answers as they expect. */
import { writeFile } from 'node:fs/promises';
import { configurationError } from '../../state/errors.ts';
import { connect } from '../connect.ts';
import { takeFlags } from '../own-flags.ts';
import { print } from '../print.ts';
import { type Style, shown, styleFor } from '../terminal.ts';
import { readCases } from './cases.ts';
import { type Judged, runCases } from './run-cases.ts';

const USAGE =
  'expected a workflow and a file of cases, as in skein eval classification-agent cases.jsonl --min 0.9';
const FLAGS = [
  { name: '--url', takes: 'http://localhost:8080' },
  { name: '--min', takes: '0.9' },
  { name: '--report', takes: 'report.json' },
  { name: '--json' },
];

/** Gives the exit code: 1 where fewer are right than `--min` asks for. */
export async function evalWorkflow(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  const [workflow, file, ...more] = words;
  if (workflow === undefined || file === undefined || more.length > 0)
    throw configurationError('arguments', USAGE);
  const least = Number(own.get('--min') ?? 0);
  if (!(least >= 0 && least <= 1)) throw configurationError('--min', 'expected a share from 0 to 1');
  const cases = readCases(file);
  const connection = await connect({ flags: rest, url: own.get('--url'), env: process.env });
  try {
    const judged = await runCases(connection, workflow, cases);
    const right = judged.filter((each) => each.right).length;
    const report = { workflow, cases: judged.length, right, share: right / judged.length, judged };
    const path = own.get('--report');
    if (path !== undefined) await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
    const isJson = own.has('--json');
    print(isJson ? JSON.stringify(report) : text(judged, right, styleFor(process.stdout, process.env)));
    return right / judged.length < least ? 1 : 0;
  } finally {
    await connection.close();
  }
}

function text(judged: readonly Judged[], right: number, style: Style): string {
  const lines = judged.flatMap((each) => [
    `${each.right ? style.good('✓') : style.bad('✗')} ${shown(each.id)}  ${style.dim(`${each.milliseconds} ms, ${each.tokens} tokens`)}`,
    ...(each.right
      ? []
      : [`  ${shown(each.prompt)}`, ...each.misses.map((miss) => `  ${style.bad(shown(miss))}`)]),
  ]);
  const share = ((100 * right) / judged.length).toFixed(1);
  return [...lines, '', `${right} of ${judged.length} right (${share} %)`].join('\n');
}
