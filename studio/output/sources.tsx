/** The sources of an answer. A click opens the passage. */
import { type Citation, placeOf } from './citation.ts';

export function Sources({ citations, open }: { citations: Citation[]; open(citation: Citation): void }) {
  return (
    <ul className="sources" aria-label="Sources">
      {citations.map((citation) => (
        <li key={citation.n}>
          <button type="button" onClick={() => open(citation)}>
            <span className="number">{citation.n}</span>
            <span>{citation.document}</span>
            <span className="muted cut">{placeOf(citation)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
