/** `skein usage`: what runs have used and cost, by day, workflow, model or caller. */

import { configurationError } from '../../../state/errors.ts';
import { USAGE_GROUPS } from '../../../state/usage/usage-store.ts';
import { ask, connect } from '../../service/connect.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';
import { columns, shown, styleFor } from '../../terminal/style.ts';

const FLAGS = [
  { name: '--url', takes: 'http://localhost:8080' },
  { name: '--by', takes: 'workflow' },
  { name: '--from', takes: '2026-11-01' },
  { name: '--to', takes: '2026-11-30' },
  { name: '--json' },
];

type Group = (typeof USAGE_GROUPS)[number];

interface Usage extends Partial<Record<Group, string>> {
  runs: number;
  input_tokens: number;
  output_tokens: number;
  cost: number;
}

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function usageCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  if (words.length > 0)
    throw configurationError('arguments', 'expected only flags, as in skein usage --by model');
  const by = groupOf(own.get('--by') ?? 'day');
  const query = new URLSearchParams({ group_by: by });
  for (const name of ['from', 'to']) {
    const day = own.get(`--${name}`);
    if (day !== undefined) query.set(name, day);
  }
  const connection = await connect({ flags: rest, url: own.get('--url'), env: process.env });
  try {
    const text = await ask(connection, `/api/v1/usage?${query}`);
    if (own.has('--json')) print(text);
    else printTable(by, (JSON.parse(text) as { usage: Usage[] }).usage);
    return 0;
  } finally {
    await connection.close();
  }
}

function groupOf(text: string): Group {
  const group = USAGE_GROUPS.find((one) => one === text);
  if (group) return group;
  throw configurationError('--by', `expected one of ${USAGE_GROUPS.join(', ')}`);
}

function printTable(by: Group, usage: Usage[]): void {
  const style = styleFor(process.stdout, process.env);
  if (usage.length === 0) {
    print(style.dim('No runs ended in this period.'));
    return;
  }
  const rows = usage.map((one) => [
    shown(one[by] ?? ''),
    ...[one.runs, one.input_tokens, one.output_tokens, one.cost].map(String),
  ]);
  for (const line of columns([[by, 'runs', 'input tokens', 'output tokens', 'cost'], ...rows])) print(line);
}
