/** What a person asked, as it was written. */

import { LongText } from '../markdown/long-text.tsx';
import { LONGEST } from '../markdown/longest.ts';

export function Question({ text }: { text: string }) {
  // A run that goes on asks nothing.
  if (text === '') return null;
  return (
    <article className="question" aria-label="Question">
      {text.length > LONGEST ? (
        <LongText text={text} />
      ) : (
        <p className="wrapped" dir="auto">
          {text}
        </p>
      )}
    </article>
  );
}
