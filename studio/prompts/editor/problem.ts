/** Parses the service's error about an invalid prompt file. */
import { SkeinApiError } from '../../../client/api-error.ts';

export interface Problem {
  message: string;
  /** Line and column, from 1. */
  position: { line: number; column: number } | undefined;
  /** The variable that the problem is about, if any. */
  variable: string | undefined;
}

/** Returns undefined for errors that the text didn't cause. */
export function problemOf(error: unknown): Problem | undefined {
  if (!(error instanceof SkeinApiError) || error.code !== 'PROMPT_INVALID') return undefined;
  // `prompt file 'x' of revision 'y': line 1, column 11: the tag is not closed`
  const detail = (error.detail ?? error.message).replace(/^prompt file '[^']*' of revision '[^']*': /, '');
  const place = /^line (\d+), column (\d+): (.*)$/s.exec(detail);
  const message = place?.[3] ?? detail;
  return {
    message,
    position: place ? { line: Number(place[1]), column: Number(place[2]) } : undefined,
    variable: /^(?:the variable )?'([^']+)'/.exec(message)?.[1],
  };
}
