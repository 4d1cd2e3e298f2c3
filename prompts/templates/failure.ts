/** What is wrong with a template: one sentence, and where in its text. */

export class TemplateFailure extends Error {
  override readonly name = 'TemplateFailure';

  /** `position` counts line and column from 1, where the tag begins. */
  constructor(reason: string, position?: { line: number; column: number }) {
    super(position ? `line ${position.line}, column ${position.column}: ${reason}` : reason);
  }
}
