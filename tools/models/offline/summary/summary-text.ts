/** The form in which the offline model writes and parses summaries: sentences `The user said: ...` in one line. */

import { jsonValues, taggedLines } from '../../../text/untrusted-json.ts';

export interface Said {
  kind: 'said' | 'asked' | 'told';
  text: string;
}

/** The statements of the user in a summary. Text in another form, which a language model has written, counts as `told`. */
export function saidInSummary(summary: string): Said[] {
  const parts = summary.split(/The user (said|asked): /);
  const before = (parts[0] ?? '').replace(/\s+/g, ' ').trim();
  const found: Said[] = before === '' ? [] : [{ kind: 'told', text: before }];
  for (let at = 1; at < parts.length; at += 2) {
    const text = (parts[at + 1] ?? '').replace(/\s+/g, ' ').trim();
    if (text !== '') found.push({ kind: parts[at] === 'asked' ? 'asked' : 'said', text });
  }
  return found;
}

export function asSummaryText({ kind, text }: Said): string {
  return kind === 'told' ? text : `The user ${kind}: ${text}`;
}

/** The summary in the data of a request; otherwise empty. */
export function earlierSummary(data: readonly string[]): string {
  return data
    .flatMap((block) => taggedLines(block, 'conversation_summary')?.flatMap(textsIn) ?? [])
    .join('\n');
}

/** The strings that a line encodes as JSON; empty if it contains none. */
export function textsIn(json: string | undefined): string[] {
  return (jsonValues(json ?? '') ?? []).filter((value) => typeof value === 'string');
}
