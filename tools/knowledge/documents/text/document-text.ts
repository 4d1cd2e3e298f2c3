/** A document's text in the form that every format returns: one string, and the heading and page of each part. */

export interface DocumentText {
  text: string;
  /** In order of `start`, without overlaps; together they cover all searchable text. */
  sections: Section[];
}

export interface Section {
  /** The headings above it, outermost first. */
  headings: string[];
  /** Counted from 1; null if the format has no pages. */
  page: number | null;
  /** Characters (UTF-16 code units) of `text`, `end` exclusive. */
  start: number;
  end: number;
}
