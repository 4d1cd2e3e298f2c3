/** What is wrong with a prompt file, and where, as the service says it. */
import { SkeinApiError } from '../../client/api-error.ts';

export interface Problem {
  message: string;
  /** Counted from 1. */
  position: { line: number; column: number } | undefined;
  /** The variable that is wrong, where it is one. */
  variable: string | undefined;
}

/** Undefined for failures that are not the text's. */
export function problemOf(error: unknown): Problem | undefined {
  if (!(error instanceof SkeinApiError) || error.code !== 'PROMPT_INVALID') return undefined;
  // `prompt file 'x' of revision 'y': line 1, column 11: the tag is not closed`
  const said = (error.detail ?? error.message).replace(/^prompt file '[^']*' of revision '[^']*': /, '');
  const place = /^line (\d+), column (\d+): (.*)$/s.exec(said);
  const message = place?.[3] ?? said;
  return {
    message,
    position: place ? { line: Number(place[1]), column: Number(place[2]) } : undefined,
    variable: /^(?:the variable )?'([^']+)'/.exec(message)?.[1],
  };
}
