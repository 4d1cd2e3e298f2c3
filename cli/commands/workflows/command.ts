/** `skein workflows`: lists the workflows, whether they can run, and what is missing. */
import { configurationError } from '../../../state/errors.ts';
import { ask, connect } from '../../service/connect.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';
import { columns, type Style, shown, styleFor, widthOf } from '../../terminal/style.ts';

const FLAGS = [{ name: '--url', takes: 'http://localhost:8080' }, { name: '--json' }];

interface Workflow {
  workflow: string;
  description: string;
  source: string;
  ready: boolean;
  ready_detail: string | null;
  configured: boolean;
  missing_config: string[];
  agents: { name: string; description: string }[];
}

/** Returns the exit code: 1 if a workflow cannot run. Throws CONFIGURATION_ERROR for a wrong command line. */
export async function workflowsCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  if (words.length > 0) throw configurationError('arguments', 'expected only flags, as in skein workflows');
  const connection = await connect({ flags: rest, url: own.get('--url'), env: process.env });
  try {
    const text = await ask(connection, '/api/v1/workflows');
    const { workflows } = JSON.parse(text) as { workflows: Workflow[] };
    const style = styleFor(process.stdout, process.env);
    print(
      own.has('--json')
        ? text
        : workflows.flatMap((one) => linesOf(one, style, widthOf(process.stdout))).join('\n'),
    );
    return workflows.every(({ ready }) => ready) ? 0 : 1;
  } finally {
    await connection.close();
  }
}

function linesOf(one: Workflow, style: Style, width: number | undefined): string[] {
  const mark = one.ready ? style.good('✓') : style.bad('✗');
  const lacks = one.missing_config.map((path) => ['', `${style.bad('missing')} ${path}`]);
  const why = one.ready_detail ?? '';
  // The description of a broken workflow already contains the error.
  const says = why === '' || lacks.length > 0 || one.description.includes(why);
  if (!says) lacks.push(['', `${style.bad('not ready')} ${shown(why)}`]);
  const agents = one.agents.map(({ name, description }) => [`  ${name}`, shown(description)]);
  return [
    `${mark} ${style.bold(one.workflow)} ${style.dim(`(${one.source})`)}`,
    ...columns([['', shown(one.description)], ...lacks], width),
    ...columns(agents, width).map(style.dim),
  ];
}
