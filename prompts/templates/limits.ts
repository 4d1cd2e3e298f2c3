/** What a template may cost. */
export const LIMITS = {
  /** Of one rendering. */
  milliseconds: 250,
  /** Characters of the output, and of every value on the way to it. */
  size: 256 * 1024,
  /** Items that `range` gives. */
  range: 10_000,
  /** White space in a row: the parser's search takes the square of it. */
  blanks: 500,
  /** Characters within tags in all, which the parser takes some 3 microseconds each for. */
  tagText: 16 * 1024,
  /** What is parsed in the process itself: characters in all and within tags. More than that takes a thread. */
  parsedHere: { text: 16 * 1024, tagText: 2 * 1024 },
  /** Tags in a template, and how deep brackets may be nested. */
  tags: 2_000,
  depth: 50,
  /** How deep the parsed template may be: `a.b.c` and `a + b + c` are a level each, which nothing in the text nests. */
  levels: 500,
  /** Characters of a text that a filter puts in many times. */
  repeated: 100,
} as const;
