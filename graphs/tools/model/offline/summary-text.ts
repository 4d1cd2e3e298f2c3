/** The form of a summary that the offline model writes, and reads again: `The user said: ...` sentences in one line. */

export interface Said {
  kind: 'said' | 'asked' | 'told';
  text: string;
}

/** What a summary reports of the user; a sentence in another form (a language model wrote it) counts as `told`. */
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
