/** The preview of the text in the editor, with a form for its variables. */
import { ScrollBox } from '../../parts/scroll-box.tsx';
import { ErrorNote, Loading } from '../../parts/states.tsx';
import { problemOf } from '../editor/problem.ts';
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
        <p className="muted small">This preview is out of date. Fix the marked problem to update it.</p>
      )}
      {text === undefined && !error && <Loading />}
      {text !== undefined && (
        <ScrollBox className="preview" label="Preview">
          <pre>{text || <span className="muted">The result is empty.</span>}</pre>
        </ScrollBox>
      )}
    </div>
  );
}
