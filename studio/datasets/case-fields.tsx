/** The fields of a case: question, expected answer, name, tags and notes. */
import { type ReactNode, useId } from 'react';
import { JsonField } from '../parts/json/json-field.tsx';
import { type CaseDraft, type DraftProblems, type ExpectKind, withKind } from './case-draft.ts';

const KINDS: Record<ExpectKind, string> = {
  exact: 'Equals this text',
  contains: 'Contains each line',
  json: 'Meets an expectation (JSON)',
};

interface CaseFieldsProps {
  draft: CaseDraft;
  change(draft: CaseDraft): void;
  problems: DraftProblems;
}

export function CaseFields({ draft, change, problems }: CaseFieldsProps) {
  const set = (part: Partial<CaseDraft>) => change({ ...draft, ...part });
  const kinds = (
    <select
      className="field"
      aria-label="How to judge the answer"
      value={draft.kind}
      onChange={(event) => change(withKind(draft, event.target.value as ExpectKind))}
    >
      {Object.entries(KINDS).map(([kind, text]) => (
        <option key={kind} value={kind}>
          {text}
        </option>
      ))}
    </select>
  );
  return (
    <>
      {draft.asks !== 'prompt' ? (
        <JsonField
          label={draft.asks === 'call' ? 'Model call' : 'Input'}
          rows={4}
          text={draft.question}
          change={(question) => set({ question })}
          problem={problems.asked}
        />
      ) : (
        <TextField
          label="Question"
          rows={2}
          text={draft.question}
          change={(question) => set({ question })}
          problem={problems.question}
        />
      )}
      {draft.kind === 'json' ? (
        <JsonField
          label="Expected answer"
          rows={4}
          text={draft.expected}
          change={(expected) => set({ expected })}
          problem={problems.json}
          placeholder='{"json": {"outputs[0].data.category": "support"}}'
          hint={kinds}
        />
      ) : (
        <TextField
          label="Expected answer"
          rows={4}
          text={draft.expected}
          change={(expected) => set({ expected })}
          problem={problems.expected}
          hint={kinds}
        />
      )}
      <div className="case-words">
        <LineField
          label="Name"
          text={draft.id}
          change={(id) => set({ id })}
          placeholder="Generated if empty"
        />
        <LineField
          label="Tags"
          text={draft.tags}
          change={(tags) => set({ tags })}
          placeholder="Comma-separated"
        />
      </div>
      <TextField label="Notes" rows={2} text={draft.notes} change={(notes) => set({ notes })} />
    </>
  );
}

interface TextFieldProps {
  label: string;
  rows: number;
  text: string;
  change(text: string): void;
  problem?: string | undefined;
  /** Shown beside the label. */
  hint?: ReactNode;
}

export function TextField({ label, rows, text, change, problem, hint }: TextFieldProps) {
  const id = useId();
  return (
    <div className="json-field">
      <div className="row wrap">
        <label className="labelled" htmlFor={id}>
          {label}
        </label>
        {hint}
      </div>
      <textarea
        id={id}
        className="field growing"
        rows={rows}
        dir="auto"
        aria-invalid={problem !== undefined}
        aria-describedby={problem && `${id}-problem`}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      <span className="small bad" id={`${id}-problem`} role="status">
        {problem}
      </span>
    </div>
  );
}

interface LineFieldProps {
  label: string;
  text: string;
  change(text: string): void;
  placeholder: string;
}

function LineField({ label, text, change, placeholder }: LineFieldProps) {
  return (
    <label className="labelled">
      {label}
      <input
        className="field"
        value={text}
        placeholder={placeholder}
        maxLength={200}
        autoComplete="off"
        onChange={(event) => change(event.target.value)}
      />
    </label>
  );
}
