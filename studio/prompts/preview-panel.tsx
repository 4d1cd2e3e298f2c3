/** What the text in the editor gives with the variables below it. */
import { ScrollBox } from '../parts/scroll-box.tsx';
import { ErrorNote, Loading } from '../parts/states.tsx';
import { problemOf } from './problem.ts';
import type { Preview } from './use-preview.ts';
import { type Variables, VariablesForm } from './variables-form.tsx';

interface PreviewPanelProps {
  preview: Preview;
  variables: Variables;
  change(name: string, text: string): void;
}

export function PreviewPanel({ preview: { text, error }, variables, change }: PreviewPanelProps) {
  const isStale = error !== undefined || variables.values === undefined;
  return (
    <div className="stack">
      <VariablesForm variables={variables} change={change} />
      {error && !problemOf(error) && <ErrorNote error={error} />}
      {isStale && text !== undefined && (
        <p className="muted small">What is shown is of before: mend what is marked, and it follows.</p>
      )}
      {text === undefined && !error && <Loading />}
      {text !== undefined && (
        <ScrollBox className="preview" label="Preview">
          <pre>{text || <span className="muted">It gives no text.</span>}</pre>
        </ScrollBox>
      )}
    </div>
  );
}
