/** The expectation of a case, as text. */
import type { Expectation } from '../data/datasets.ts';
import { Json } from '../parts/json/json.tsx';

export function ExpectationView({ expect: { exact, contains, ...more } }: { expect: Expectation }) {
  return (
    <div className="expected">
      {exact !== undefined && (
        <p className="small words" dir="auto">
          <span className="muted">Equals </span>
          {exact}
        </p>
      )}
      {contains?.map((text) => (
        <p key={text} className="small words" dir="auto">
          <span className="muted">Contains </span>
          {text}
        </p>
      ))}
      {Object.keys(more).length > 0 && <Json value={more} open={4} />}
    </div>
  );
}
