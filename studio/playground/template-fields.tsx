/** The prompt file that gives a message: its text is edited, with the variables of the run, and may become a new version. */
import { useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { problemOf } from '../prompts/problem.ts';
import { ProblemNote } from '../prompts/problem-note.tsx';
import { usePreview } from '../prompts/use-preview.ts';
import { VariablesForm } from '../prompts/variables-form.tsx';
import { address } from '../router.ts';
import type { EditedTemplate } from './edited-call.ts';
import { openAsDraft } from './open-as-draft.ts';
import { isTemplateChanged } from './replay-request.ts';
import { templateVariables } from './template-variables.ts';

interface TemplateFieldsProps {
  template: EditedTemplate;
  /** Of its message, from 1. */
  number: number;
  change(changes: Partial<EditedTemplate>): void;
  /** The text that it gives is edited from now on. */
  editText(text: string): void;
}

export function TemplateFields({ template, number, change, editText }: TemplateFieldsProps) {
  const { name, version, text, original, typed, around, isSent } = template;
  const known = templateVariables(template);
  const isChanged = isTemplateChanged(template);
  const preview = usePreview(name, isChanged ? text : undefined, known.values);
  const [refused, setRefused] = useState<Error>();
  const rendered = isChanged ? (preview.text ?? around.rendered) : around.rendered;
  const problem = isChanged ? problemOf(preview.error) : undefined;
  const place = (
    <p className="muted small">
      From <Link href={address(['prompts', name.revision, name.file])}>{name.file}</Link>, revision{' '}
      {name.revision},{' '}
      {version === null ? 'newest version' : version === 0 ? 'as shipped' : `version ${version}`}
    </p>
  );
  if (!isSent)
    return (
      <>
        {place}
        <p className="muted small">This is the rendered text. It can't be saved as a version of the file.</p>
        <div className="row wrap">
          <button type="button" className="button small" onClick={() => change({ isSent: true })}>
            Edit the prompt file
          </button>
        </div>
      </>
    );
  return (
    <>
      {place}
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
        <summary className="small muted">What is sent</summary>
        {isChanged && preview.error && (
          <p className="muted small">What is shown is of before: mend what is marked, and it follows.</p>
        )}
        <ScrollBox className="preview" label={`What is sent as message ${number}`}>
          <pre className="wrapped">{around.before + rendered + around.after}</pre>
        </ScrollBox>
      </details>
      <div className="row wrap">
        <button
          type="button"
          className="button small"
          disabled={text === original}
          onClick={() => openAsDraft(template).catch(setRefused)}
        >
          <Icon name="prompt" size={14} />
          Save as a new version
        </button>
        <button
          type="button"
          className="button small quiet"
          onClick={() => editText(around.before + rendered + around.after)}
        >
          Edit the text instead
        </button>
      </div>
      {refused && <ErrorNote error={refused} />}
    </>
  );
}
