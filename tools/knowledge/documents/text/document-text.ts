/** The common form of a document's text in all formats: one string, and the headings and page of each section. */

export interface DocumentText {
  text: string;
  /** Ordered by `start`, without overlaps. Together, they cover all searchable text. */
  sections: Section[];
}

export interface Section {
  /** The headings above it, outermost first. */
  headings: string[];
  /** Counted from 1; null if the format has no pages. */
  page: number | null;
  /** The section's range in `text`, in UTF-16 code units. `end` is exclusive. */
  start: number;
  end: number;
}
