/** Tracks the headings above a position in a document. */
import { oneLine } from './clean.ts';

// Headings are limited, because every passage below them repeats them.
const MAX_LENGTH = 160;

export interface Headings {
  /** `level` is 1 to 6. */
  enter(level: number, title: string): void;
  /** Outermost first. Returns the same array until the next `enter`. */
  path(): string[];
}

export function openHeadings(): Headings {
  let open: { level: number; title: string }[] = [];
  let path: string[] = [];
  return {
    enter(level, title) {
      open = [...open.filter((above) => above.level < level), { level, title: shortened(oneLine(title)) }];
      path = open.map((each) => each.title).filter((each) => each !== '');
    },
    path: () => path,
  };
}

function shortened(title: string): string {
  return title.length <= MAX_LENGTH ? title : `${title.slice(0, MAX_LENGTH).toWellFormed()}…`;
}
