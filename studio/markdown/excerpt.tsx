/** An excerpt of a document: formatted if the document is Markdown, otherwise plain text with its line breaks. */
import { type DrawWords, Markdown } from './markdown.tsx';

interface ExcerptProps {
  /** The name of the document. */
  document: string;
  text: string;
  words?: DrawWords;
}

const MARKDOWN = /\.md$/i;

export function Excerpt({ document, text, words }: ExcerptProps) {
  if (MARKDOWN.test(document)) return <Markdown text={text} words={words} />;
  return <div className="excerpt-lines">{words ? words(text) : text}</div>;
}
