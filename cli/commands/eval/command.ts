/** `skein eval`: scores the workflows' answers on Skein's own questions or on a file of cases. */
import { configurationError } from '../../../state/errors.ts';

const USAGE =
  "expected 'sql', 'knowledge', or a workflow and a file of cases, as in skein eval classification-agent cases.jsonl";

/** Returns the exit code; throws CONFIGURATION_ERROR for a wrong command line. */
export async function evalCommand([what, ...argv]: string[]): Promise<number> {
  switch (what) {
    case undefined:
      throw configurationError('arguments', USAGE);
    case 'sql':
      return (await import('./sql.ts')).evalSql(argv);
    case 'knowledge':
      return (await import('./knowledge.ts')).evalKnowledge(argv);
    default:
      return (await import('./workflow.ts')).evalWorkflow([what, ...argv]);
  }
}
