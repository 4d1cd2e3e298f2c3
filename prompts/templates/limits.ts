/** The limits of a template's cost. */
export const LIMITS = {
  /** Per rendering. */
  milliseconds: 250,
  /** Characters of the output, and of every intermediate value. */
  size: 256 * 1024,
  /** Items that `range` returns. */
  range: 10_000,
  /** Consecutive white space: the parser takes quadratic time for it. */
  blanks: 500,
  /** Total characters within tags, each of which takes the parser some 3 microseconds. */
  tagText: 16 * 1024,
  /** What the main thread parses: total characters, and those within tags. Larger templates are parsed in a worker. */
  parsedHere: { text: 16 * 1024, tagText: 2 * 1024 },
  /** Tags in a template, and nesting of brackets. */
  tags: 2_000,
  depth: 50,
  /** Levels of the parsed template: `a.b.c` and `a + b + c` have a level each without nesting in the text. */
  levels: 500,
  /** Characters of a text that a filter repeats. */
  repeated: 100,
} as const;
