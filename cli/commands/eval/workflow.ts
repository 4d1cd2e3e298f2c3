/** `skein eval WORKFLOW CASES`: how many cases of a file a workflow answers as expected. */
import { writeFile } from 'node:fs/promises';
import { configurationError } from '../../../state/errors.ts';
import { nearest } from '../../../state/schema/nearest.ts';
import { ask, type Connection, connect, found } from '../../service/connect.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';
import { type Style, shown, styleFor } from '../../terminal/style.ts';
import { readCases } from './read-cases.ts';
import { type Judged, runCases } from './run-cases.ts';

const USAGE =
  'expected a workflow and a file of cases, as in skein eval classification-agent cases.jsonl --min 0.9';
const FLAGS = [
  { name: '--url', takes: 'http://localhost:8080' },
  { name: '--min', takes: '0.9' },
  { name: '--report', takes: 'report.json' },
  { name: '--json' },
];

/** Returns the exit code: 1 if fewer cases pass than `--min` (all by default), or if a case got no answer. */
export async function evalWorkflow(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  const [workflow, file, ...more] = words;
  if (workflow === undefined || file === undefined || more.length > 0)
    throw configurationError('arguments', USAGE);
  const least = Number(own.get('--min') ?? 1);
  if (!(least >= 0 && least <= 1)) throw configurationError('--min', 'expected a share from 0 to 1');
  const cases = readCases(file);
  const connection = await connect({ flags: rest, url: own.get('--url'), env: process.env });
  try {
    await refuseUnknown(connection, workflow);
    const judged = await runCases(connection, workflow, cases);
    const passed = judged.filter((each) => each.right).length;
    const unanswered = judged.filter(({ answered }) => !answered).length;
    const share = passed / judged.length;
    const report = { workflow, cases: judged.length, right: passed, unanswered, share, judged };
    const path = own.get('--report');
    if (path !== undefined) await writeFile(path, `${JSON.stringify(report, null, 2)}\n`);
    const isJson = own.has('--json');
    print(isJson ? JSON.stringify(report) : text(report, styleFor(process.stdout, process.env)));
    return unanswered > 0 || share < least ? 1 : 0;
  } finally {
    await connection.close();
  }
}

/** Every case would fail with an unknown workflow, so reject it first. */
async function refuseUnknown(connection: Connection, workflow: string): Promise<void> {
  if (await found(connection, `/api/v1/workflow-status/${encodeURIComponent(workflow)}`)) return;
  const { workflows } = JSON.parse(await ask(connection, '/api/v1/workflows')) as {
    workflows: { workflow: string }[];
  };
  const names = workflows.map((each) => each.workflow);
  const close = nearest(workflow, names);
  const hint = close ? `, did you mean '${close}'?` : `; workflows: ${names.join(', ')}`;
  throw configurationError('arguments', `unknown workflow '${shown(workflow)}'${hint}`);
}

interface Report {
  right: number;
  unanswered: number;
  share: number;
  judged: readonly Judged[];
}

function text({ judged, right, unanswered, share }: Report, style: Style): string {
  const lines = judged.flatMap((each) => [
    `${each.right ? style.good('✓') : style.bad('✗')} ${shown(each.id)}  ${style.dim(`${each.milliseconds} ms, ${each.tokens} tokens`)}`,
    ...(each.right
      ? []
      : [`  ${shown(each.prompt)}`, ...each.misses.map((miss) => `  ${style.bad(shown(miss))}`)]),
  ]);
  const also = unanswered === 0 ? '' : `, ${unanswered} not answered`;
  return [...lines, '', `${right} of ${judged.length} passed (${(100 * share).toFixed(1)} %)${also}`].join(
    '\n',
  );
}
