/** Formats data blocks for prompts as lines of JSON that no content can close, and parses them back. */

import { dataBlock } from '../text/block.ts';
import { jsonValues, taggedLines, untrustedJson } from '../text/untrusted-json.ts';

const LONGEST_FACT = 600;
const LONGEST_TEXT = 300;
const LONGEST_SUGGESTION = 400;

/**
 * A block of facts that an answer may use, one sentence each.
 *
 * <facts> "The document has 3 stores." </facts>
 */
export function factsText(facts: readonly string[]): string {
  return dataBlock(
    'facts',
    facts.map((fact) => untrustedJson(fact, LONGEST_FACT)),
  );
}

/** The facts of the first such block in a text; otherwise undefined. */
export function readFacts(text: string): string[] | undefined {
  return taggedLines(text, 'facts')
    ?.map((line) => jsonValues(line)?.[0])
    .filter((fact) => typeof fact === 'string');
}

export interface NumberedText {
  n: number;
  text: string;
}

/**
 * A block of texts that a model judges one by one, such as reviews.
 *
 * <texts> 1 "Great bike" </texts>
 */
export function textsText(texts: readonly NumberedText[]): string {
  return dataBlock(
    'texts',
    texts.map(({ n, text }) => `${n} ${untrustedJson(text, LONGEST_TEXT)}`),
  );
}

export function readTexts(text: string): NumberedText[] | undefined {
  return taggedLines(text, 'texts')?.flatMap((line) => {
    const [, n, json] = /^(\d+) (".*")$/.exec(line) ?? [];
    const [found] = jsonValues(json ?? '') ?? [];
    return typeof found === 'string' ? [{ n: Number(n), text: found }] : [];
  });
}

/**
 * A block of values that rules propose for the fields of an answer, by the path of the field. A language model may find better
 * values; the offline model uses these.
 *
 * <suggestions> topic "bike sales" </suggestions>
 */
export function suggestionsText(suggestions: Readonly<Record<string, string>>): string {
  return dataBlock(
    'suggestions',
    Object.entries(suggestions).map(([path, value]) => `${path} ${untrustedJson(value, LONGEST_SUGGESTION)}`),
  );
}

export function readSuggestions(text: string): Map<string, string> | undefined {
  const lines = taggedLines(text, 'suggestions');
  return (
    lines &&
    new Map(
      lines.flatMap((line): [string, string][] => {
        const [, path = '', json = ''] = /^([\w.]+) (".*")$/.exec(line) ?? [];
        const [value] = jsonValues(json) ?? [];
        return typeof value === 'string' ? [[path, value]] : [];
      }),
    )
  );
}
