/** An editor for a state, as a form or as JSON. It submits the changed channels. */
import { type FormEvent, type ReactNode, useState } from 'react';
import { JsonField } from '../parts/json/json-field.tsx';
import { type JsonProblem, readJson } from '../parts/json/json-text.ts';
import { changedValues, jsonText, type Problems, readTyped, stateFields } from './state-fields.ts';
import { StateForm } from './state-form.tsx';
import './run-again.css';

interface StateEditorProps {
  values: Record<string, unknown>;
  schema: unknown;
  /** Called with the channels that differ from `values`. */
  submit(changed: Record<string, unknown>): void;
  /** Shown below the fields. */
  children: ReactNode;
}

/** The key for a problem of the whole state. */
const WHOLE = '';

export function StateEditor({ values, schema, submit, children }: StateEditorProps) {
  const [edited, setEdited] = useState(values);
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [json, setJson] = useState<string>();
  const [problems, setProblems] = useState<Problems>({});
  const isJson = json !== undefined;

  /** If a text isn't valid JSON, shows the problem and returns undefined. */
  function read(): Record<string, unknown> | undefined {
    const result = isJson ? readWhole(json) : readTyped(edited, typed);
    setProblems(result.problems);
    return Object.keys(result.problems).length > 0 ? undefined : result.values;
  }
  function toggle() {
    const now = read();
    if (!now) return;
    setEdited(now);
    setTyped({});
    setJson(isJson ? undefined : jsonText(now));
  }
  function run(event: FormEvent) {
    event.preventDefault();
    const now = read();
    if (now) submit(changedValues(values, now));
  }
  return (
    <form className="stack state-editor" onSubmit={run}>
      <div className="row">
        <span className="grow" />
        <button type="button" className="button small quiet" aria-pressed={isJson} onClick={toggle}>
          JSON
        </button>
      </div>
      {isJson ? (
        <JsonField label="State" rows={12} text={json} change={setJson} problem={problems[WHOLE]} />
      ) : (
        <StateForm
          fields={stateFields(values, schema)}
          values={edited}
          change={(name, value) => setEdited({ ...edited, [name]: value })}
          typed={typed}
          type={(name, text) => setTyped({ ...typed, [name]: text })}
          problems={problems}
        />
      )}
      {children}
    </form>
  );
}

function readWhole(text: string): { values: Record<string, unknown>; problems: Problems } {
  const read = readJson(text);
  if (read.problem) return { values: {}, problems: { [WHOLE]: read.problem } };
  const { value } = read;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isObject) return { values: value as Record<string, unknown>, problems: {} };
  const problem: JsonProblem = {
    message: 'Line 1, column 1: expected an object, {"channel": value}.',
    at: text.search(/\S/),
  };
  return { values: {}, problems: { [WHOLE]: problem } };
}
