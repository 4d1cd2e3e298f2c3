/** `skein graph`: prints the compiled graph of a workflow as Mermaid, SVG or JSON. */
import { configurationError } from '../../../state/errors.ts';
import { ask, connect } from '../../service/connect.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { print } from '../../terminal/print.ts';

const FORMATS = ['mermaid', 'svg', 'json'];
const FLAGS = [
  { name: '--url', takes: 'http://localhost:8080' },
  { name: '--format', takes: 'svg' },
  { name: '--xray' },
];

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function graphCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, FLAGS);
  const [name, ...more] = words;
  if (name === undefined || more.length > 0)
    throw configurationError('arguments', 'expected a workflow, as in skein graph classification-agent');
  const format = own.get('--format') ?? 'mermaid';
  if (!FORMATS.includes(format)) throw configurationError('--format', `expected ${FORMATS.join(', ')}`);
  const connection = await connect({ flags: rest, url: own.get('--url'), env: process.env });
  try {
    const query = `format=${format}&xray=${own.has('--xray')}`;
    const text = await ask(connection, `/api/v1/workflows/${encodeURIComponent(name)}/graph?${query}`);
    print(text.trimEnd());
    return 0;
  } finally {
    await connection.close();
  }
}
