/** An input for a value with a schema: a form or JSON, which you can switch without losing the value. */
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { JsonField } from '../json/json-field.tsx';
import { type JsonProblem, notAnObject, readJson } from '../json/json-text.ts';
import { hasForm } from './field.ts';
import { initialValue, isObject, NO_PROBLEMS, problemsOf, refusedFields } from './form-value.ts';
import { inputToFillIn } from './input-schema.ts';
import { SchemaFields } from './schema-fields.tsx';
import { SchemaForm } from './schema-form.tsx';

export interface SchemaInputHandle {
  /** Returns undefined and shows the problems if the input is invalid. The value is undefined for an empty optional input. */
  read(): { value: unknown } | undefined;
  /** Resets the input. */
  clear(): void;
}

export interface SchemaInputProps {
  ref: Ref<SchemaInputHandle>;
  label: string;
  schema: unknown;
  optional?: boolean;
  /** Rejects JSON that isn't an object. */
  mustBeObject?: boolean;
  /** A saved draft as JSON, and the function that saves it. */
  draft?: string | undefined;
  saveDraft?(text: string): void;
  /** The service's validation error for the value that was sent. */
  refused?: RefusedValue | undefined;
}

export interface RefusedValue {
  /** The name of the value in the request. */
  name: 'input' | 'context';
  value: unknown;
  detail: string;
}

export function SchemaInput(props: SchemaInputProps) {
  const {
    ref,
    label,
    schema,
    optional = false,
    mustBeObject = false,
    draft = '',
    saveDraft,
    refused,
  } = props;
  const canForm = hasForm(schema);
  const template = optional ? '' : inputToFillIn(schema);
  const read = readJson(draft);
  const [asJson, setAsJson] = useState(!canForm || (draft !== '' && read.problem !== undefined));
  const [text, setText] = useState(draft || template);
  const [value, setValue] = useState<unknown>(() =>
    draft === '' || read.problem ? initialValue(schema) : read.value,
  );
  const [isTouched, setTouched] = useState(draft !== '');
  const [problems, setProblems] = useState(NO_PROBLEMS);
  const [jsonProblem, setJsonProblem] = useState<JsonProblem>();
  const box = useRef<HTMLDivElement>(null);

  function change(next: unknown) {
    setTouched(true);
    setValue(next);
    setProblems(NO_PROBLEMS);
    saveDraft?.(JSON.stringify(next, null, 2) ?? '');
  }
  function type(next: string) {
    setText(next);
    setJsonProblem(undefined);
    saveDraft?.(next);
  }
  function readText(): { value: unknown } | undefined {
    if (optional && text.trim() === '') return { value: undefined };
    const read = readJson(text);
    const problem = read.problem ?? (mustBeObject && !isObject(read.value) ? notAnObject(text) : undefined);
    setJsonProblem(problem);
    return read.problem || problem ? undefined : { value: read.value };
  }
  function readForm(): { value: unknown } | undefined {
    if (optional && !isTouched) return { value: undefined };
    const found = problemsOf(schema, value);
    setProblems(found);
    if (found.size === 0) return { value };
    focusProblem(box.current);
    return undefined;
  }
  function toggle() {
    if (!asJson) {
      setText(optional && !isTouched ? '' : (JSON.stringify(value, null, 2) ?? ''));
    } else {
      const read = readText();
      if (!read) return;
      setValue(read.value ?? initialValue(schema));
      setTouched(read.value !== undefined);
      setProblems(NO_PROBLEMS);
    }
    setAsJson(!asJson);
  }
  useImperativeHandle(ref, () => ({
    read: asJson ? readText : readForm,
    clear() {
      setText(template);
      setValue(initialValue(schema));
      setTouched(false);
      setProblems(NO_PROBLEMS);
      setJsonProblem(undefined);
    },
  }));
  // Show the rejected value again, to be corrected.
  useEffect(() => {
    if (!refused) return;
    setText(JSON.stringify(refused.value, null, 2) ?? '');
    setValue(refused.value);
    setTouched(true);
    setProblems(refusedFields(refused.detail, refused.name, schema, refused.value));
    focusProblem(box.current);
  }, [refused, schema]);
  return (
    <div className="schema-input" ref={box}>
      {canForm && (
        <div className="row spread">
          <span className="muted small">{asJson ? '' : label}</span>
          <button type="button" className="button small quiet" aria-pressed={asJson} onClick={toggle}>
            JSON
          </button>
        </div>
      )}
      {asJson ? (
        <JsonField
          label={label}
          hint={<SchemaFields schema={schema} />}
          rows={3}
          placeholder="{}"
          text={text}
          change={type}
          problem={jsonProblem}
        />
      ) : (
        <SchemaForm {...{ schema, label, value, change, problems }} />
      )}
      {asJson && refused && problems.size > 0 && (
        <p className="small bad" role="alert">
          {[...problems].map(([path, problem]) => (path ? `${path}: ${problem}` : problem)).join(' ')}
        </p>
      )}
    </div>
  );
}

/** Waits for the next frame, when the problems are rendered. */
function focusProblem(box: HTMLElement | null): void {
  requestAnimationFrame(() =>
    box?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid="true"]')?.focus(),
  );
}
