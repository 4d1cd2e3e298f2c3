/** The content parts of a message: text, images on request, and a description of other files. Never renders HTML. */
import { LongText } from '../markdown/long-text.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { Json } from '../parts/json/json.tsx';
import type { ContentPart } from '../parts/media/content-parts.ts';
import { MediaPart } from '../parts/media/media-part.tsx';
import './contents.css';

interface ContentsProps {
  parts: ContentPart[];
  /** Renders text as Markdown. */
  formatted?: boolean;
}

export function Contents({ parts, formatted = false }: ContentsProps) {
  return (
    <div className="contents">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a message keep their order
        <Part key={index} part={part} formatted={formatted} />
      ))}
    </div>
  );
}

function Part({ part, formatted }: { part: ContentPart; formatted: boolean }) {
  if (part.kind === 'text') return formatted ? <Markdown text={part.text} /> : <LongText text={part.text} />;
  if (part.kind === 'media') return <MediaPart media={part.media} />;
  if (part.kind === 'other') return <Json value={part.value} open={1} />;
  return (
    <details>
      <summary className="small muted">Reasoning</summary>
      <LongText text={part.text} />
    </details>
  );
}
