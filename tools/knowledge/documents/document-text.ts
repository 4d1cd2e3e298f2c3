/** A document's text as every format gives it: one string, and which parts of it stand under which heading and page. */

export interface DocumentText {
  text: string;
  /** In order of `start`, without overlaps; together they cover what is searched. */
  sections: Section[];
}

export interface Section {
  /** The headings above it, outermost first. */
  headings: string[];
  /** Counted from 1; null where the format has no pages. */
  page: number | null;
  /** Characters (UTF-16 code units) of `text`, `end` exclusive. */
  start: number;
  end: number;
}
