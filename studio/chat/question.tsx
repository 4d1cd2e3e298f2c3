/** What a person asked, as it was written. */
import { LONGEST } from '../markdown/blocks.ts';
import { LongText } from '../markdown/markdown.tsx';

export function Question({ text }: { text: string }) {
  return (
    <article className="question" aria-label="Question">
      {text.length > LONGEST ? <LongText text={text} /> : <p className="wrapped">{text}</p>}
    </article>
  );
}
