/** `skein eval`: judges a part of the service on a set of questions with known answers. */
import { configurationError } from '../state/errors.ts';

export async function evalCommand([what, ...argv]: string[]): Promise<number> {
  switch (what) {
    case 'sql':
      return (await import('./eval-sql.ts')).evalSql(argv);
    case 'knowledge':
      return (await import('./eval-knowledge.ts')).evalKnowledge(argv);
    default:
      throw configurationError('arguments', "expected 'sql' or 'knowledge', as in skein eval sql");
  }
}
