/** A question, as it was typed. */
import { LongText } from '../../markdown/long-text.tsx';
import { MAX_FORMATTED } from '../../markdown/max-formatted.ts';

export function Question({ text }: { text: string }) {
  // A run that continues a thread has no question.
  if (text === '') return null;
  return (
    <article className="question" aria-label="Question">
      {text.length > MAX_FORMATTED ? (
        <LongText text={text} />
      ) : (
        <p className="wrapped" dir="auto">
          {text}
        </p>
      )}
    </article>
  );
}
