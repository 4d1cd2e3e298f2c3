/** The form for the variables of a template, whose values the preview uses. */
import { useId } from 'react';

export interface Variables {
  /** The names and typed texts. */
  fields: { name: string; text: string; error: string | undefined }[];
  /** Undefined while one of the texts is invalid. */
  values: Record<string, unknown> | undefined;
}

/** The typed values, with samples for the other variables. */
export function variablesOf(samples: Record<string, unknown>, typed: Record<string, string>): Variables {
  const fields = Object.entries(samples).map(([name, sample]) => {
    const text = typed[name] ?? (typeof sample === 'string' ? sample : JSON.stringify(sample, null, 2));
    return { name, text, ...readField(text) };
  });
  const isWhole = fields.every(({ error }) => error === undefined);
  const values = isWhole ? Object.fromEntries(fields.map(({ name, value }) => [name, value])) : undefined;
  return { fields: fields.map(({ name, text, error }) => ({ name, text, error })), values };
}

/** Parses lists, objects, numbers, booleans and null as JSON; everything else is text. */
function readField(text: string): { value: unknown; error: string | undefined } {
  const isJson = /^\s*[[{]|^\s*(?:true|false|null|-?\d+(?:\.\d+)?)\s*$/.test(text);
  if (!isJson) return { value: text, error: undefined };
  try {
    return { value: JSON.parse(text), error: undefined };
  } catch (error) {
    return { value: undefined, error: error instanceof Error ? error.message : 'Invalid JSON' };
  }
}

interface VariablesFormProps {
  variables: Variables;
  change(name: string, text: string): void;
}

const MAX_ROWS = 8;

export function VariablesForm({ variables: { fields }, change }: VariablesFormProps) {
  const id = useId();
  if (fields.length === 0) return <p className="muted small">This template has no variables.</p>;
  return (
    <fieldset className="variables">
      <legend className="small muted">Variables (plain text or JSON)</legend>
      {fields.map(({ name, text, error }) => (
        <label key={name} className="labelled">
          <code>{name}</code>
          <textarea
            className="field mono"
            rows={Math.min(MAX_ROWS, text.split('\n').length)}
            value={text}
            aria-invalid={error !== undefined}
            aria-describedby={error === undefined ? undefined : `${id}-${name}`}
            onChange={(event) => change(name, event.target.value)}
          />
          {error !== undefined && (
            <span className="small bad" id={`${id}-${name}`}>
              {error}
            </span>
          )}
        </label>
      ))}
    </fieldset>
  );
}
