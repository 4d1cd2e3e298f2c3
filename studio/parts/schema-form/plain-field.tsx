/** A form field for text, a number, a boolean, an option, or any value as JSON. */
import { type ReactNode, useId, useState } from 'react';
import { JsonField } from '../json/json-field.tsx';
import { readJson } from '../json/json-text.ts';
import { ChoiceControl, type ControlProps } from './choice-control.tsx';
import type { Field } from './field.ts';
import { type FormProblems, Unread } from './form-value.ts';

export interface PlainFieldProps {
  field: Field;
  name: string;
  required: boolean;
  /** Undefined if the field is not set. */
  value: unknown;
  change(value: unknown): void;
  path: string;
  problems: FormProblems;
}

export function PlainField(props: PlainFieldProps) {
  const { field, name, required, value, change, path, problems } = props;
  const id = useId();
  const problem = problems.get(path);
  const isNull = value === null && field.kind !== 'choice' && field.kind !== 'boolean';
  const described = [field.description && `${id}-about`, problem && `${id}-problem`].filter(Boolean);
  const control: ControlProps = {
    id,
    'aria-required': required,
    'aria-invalid': problem !== undefined,
    'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
  };
  const label = field.title ?? name;
  if (field.kind === 'json') return <AnyValue {...props} label={label} problem={problem} />;
  return (
    <div className="schema-field">
      <div className="row">
        <label htmlFor={id}>{label}</label>
        {required && <abbr title="required">*</abbr>}
        {field.nullable && field.kind !== 'choice' && field.kind !== 'boolean' && (
          <button
            type="button"
            className="button small quiet"
            aria-pressed={isNull}
            aria-label={`${label}: null`}
            onClick={() => change(isNull ? undefined : null)}
          >
            null
          </button>
        )}
      </div>
      <Control {...props} control={control} />
      {field.description && (
        <p className="muted small" id={`${id}-about`}>
          {field.description}
        </p>
      )}
      {problem && <Problem id={`${id}-problem`}>{problem}</Problem>}
    </div>
  );
}

function Problem({ id, children }: { id: string; children: ReactNode }) {
  return (
    <p className="small bad" role="alert" id={id}>
      {children}
    </p>
  );
}

function Control({ field, required, value, change, control }: PlainFieldProps & { control: ControlProps }) {
  if (field.kind === 'number') return <NumberControl {...{ field, value, change, control }} />;
  if (field.kind === 'text') return <TextControl {...{ field, value, change, control }} />;
  if (field.kind === 'boolean' && required && !field.nullable)
    return (
      <input
        {...control}
        type="checkbox"
        checked={value === true}
        onChange={(event) => change(event.target.checked)}
      />
    );
  const values = field.kind === 'choice' ? field.values : [true, false];
  return <ChoiceControl {...{ values, required, value, change, control }} nullable={field.nullable} />;
}

interface OneControl<Kind> {
  field: Extract<Field, { kind: Kind }>;
  value: unknown;
  change(value: unknown): void;
  control: ControlProps;
}

const INPUT_TYPES: Record<string, string> = { date: 'date', email: 'email', uri: 'url' };

function TextControl({ field, value, change, control }: OneControl<'text'>) {
  const text = typeof value === 'string' ? value : '';
  const type = INPUT_TYPES[field.format ?? ''];
  const given = (typed: string) => change(typed === '' ? undefined : typed);
  const placeholder = value === null ? 'null' : placeholderOf(field);
  if (type !== undefined)
    return (
      <input
        {...control}
        className="field"
        type={type}
        placeholder={placeholder}
        value={text}
        onChange={(event) => given(event.target.value)}
      />
    );
  return (
    <textarea
      {...control}
      className="field growing"
      dir="auto"
      rows={1}
      placeholder={placeholder}
      value={text}
      onChange={(event) => given(event.target.value)}
    />
  );
}

/** Keeps the text as typed, since "1." and "1.0" may become "1.05". */
function NumberControl({ field, value, change, control }: OneControl<'number'>) {
  const [typed, setTyped] = useState('');
  const text = numberIn(typed) === value ? typed : String(value ?? '');
  return (
    <input
      {...control}
      className="field number"
      inputMode={field.isInteger ? 'numeric' : 'decimal'}
      autoComplete="off"
      placeholder={value === null ? 'null' : placeholderOf(field)}
      value={text}
      onChange={(event) => {
        setTyped(event.target.value);
        change(numberIn(event.target.value));
      }}
    />
  );
}

const NUMBER = /^-?\d+(\.\d*)?([eE][+-]?\d+)?$/;

/** Returns the text if it isn't a number, so that validation reports it. */
function numberIn(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  return NUMBER.test(trimmed) && Number.isFinite(Number(trimmed)) ? Number(trimmed) : text;
}

function placeholderOf({ initial }: Field): string | undefined {
  return initial === undefined || initial === null ? undefined : String(initial);
}

function AnyValue(props: PlainFieldProps & { label: string; problem: string | undefined }) {
  const { field, required, value, change, label, problem } = props;
  const [typed, setTyped] = useState('');
  const read = valueIn(typed);
  const isTyped = JSON.stringify(read) === JSON.stringify(value);
  const text = isTyped ? typed : value === undefined ? '' : JSON.stringify(value, null, 2);
  return (
    <div className="schema-field">
      <JsonField
        label={label}
        hint={<span className="muted small">JSON{required ? ', required' : ''}</span>}
        rows={2}
        text={text}
        problem={problem === undefined ? undefined : { message: problem, at: placeIn(text) }}
        change={(next) => {
          setTyped(next);
          change(valueIn(next));
        }}
      />
      {field.description && <p className="muted small">{field.description}</p>}
    </div>
  );
}

function valueIn(text: string): unknown {
  if (text.trim() === '') return undefined;
  const read = readJson(text);
  return read.problem ? new Unread(text) : read.value;
}

const placeIn = (text: string) => readJson(text).problem?.at ?? 0;
