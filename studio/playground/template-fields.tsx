/** The editor for the prompt file of a message, with the run's variables, a preview, and saving as a new version. */
import { useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { problemOf } from '../prompts/editor/problem.ts';
import { ProblemNote } from '../prompts/editor/problem-note.tsx';
import { usePreview } from '../prompts/preview/use-preview.ts';
import { VariablesForm } from '../prompts/preview/variables-form.tsx';
import { address } from '../routing/router.ts';
import type { EditedTemplate } from './edited-call.ts';
import { openAsDraft } from './open-as-draft.ts';
import { isTemplateChanged } from './replay-request.ts';
import { templateVariables } from './template-variables.ts';

interface TemplateFieldsProps {
  template: EditedTemplate;
  /** The number of the message, from 1. */
  number: number;
  change(changes: Partial<EditedTemplate>): void;
  /** Switches to editing the rendered text. */
  editText(text: string): void;
}

export function TemplateFields({ template, number, change, editText }: TemplateFieldsProps) {
  const { name, version, text, original, typed, around, isSent } = template;
  const known = templateVariables(template);
  const isChanged = isTemplateChanged(template);
  const preview = usePreview(name, isChanged ? text : undefined, known.values);
  const [error, setError] = useState<Error>();
  const rendered = isChanged ? (preview.text ?? around.rendered) : around.rendered;
  const problem = isChanged ? problemOf(preview.error) : undefined;
  const source = (
    <p className="muted small">
      From <Link href={address(['prompts', name.revision, name.file])}>{name.file}</Link>, revision{' '}
      {name.revision},{' '}
      {version === null ? 'latest version' : version === 0 ? 'shipped version' : `version ${version}`}
    </p>
  );
  if (!isSent)
    return (
      <>
        {source}
        <p className="muted small">
          You're editing the rendered text, which can't be saved as a version of the file.
        </p>
        <div className="row wrap">
          <button type="button" className="button small" onClick={() => change({ isSent: true })}>
            Edit prompt file
          </button>
        </div>
      </>
    );
  return (
    <>
      {source}
      <textarea
        className="field mono growing"
        aria-label={`Prompt file of message ${number}`}
        rows={4}
        spellCheck={false}
        value={text}
        onChange={(event) => change({ text: event.target.value })}
      />
      {problem && <ProblemNote problem={problem} text={text} isRejected={false} />}
      {isChanged && preview.error && !problem && <ErrorNote error={preview.error} />}
      <details>
        <summary className="small muted">Variables of the run</summary>
        <VariablesForm
          variables={known}
          change={(of, value) => change({ typed: { ...typed, [of]: value } })}
        />
      </details>
      <details>
        <summary className="small muted">Preview</summary>
        {isChanged && preview.error && (
          <p className="muted small">This preview is out of date. Fix the problem to update it.</p>
        )}
        <ScrollBox className="preview" label={`Preview of message ${number}`}>
          <pre className="wrapped">{around.before + rendered + around.after}</pre>
        </ScrollBox>
      </details>
      <div className="row wrap">
        <button
          type="button"
          className="button small"
          disabled={text === original}
          onClick={() => openAsDraft(template).catch(setError)}
        >
          <Icon name="prompt" size={14} />
          Save as new version
        </button>
        <button
          type="button"
          className="button small quiet"
          onClick={() => editText(around.before + rendered + around.after)}
        >
          Edit rendered text
        </button>
      </div>
      {error && <ErrorNote error={error} />}
    </>
  );
}
