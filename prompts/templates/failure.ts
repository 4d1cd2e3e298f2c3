/** A template error: one sentence, and its position in the text. */

export class TemplateFailure extends Error {
  override readonly name = 'TemplateFailure';

  /** `position` counts line and column from 1, at the beginning of the tag. */
  constructor(reason: string, position?: { line: number; column: number }) {
    super(position ? `line ${position.line}, column ${position.column}: ${reason}` : reason);
  }
}
