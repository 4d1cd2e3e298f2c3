/** A form for a state: a typed field for each channel, or a JSON editor for complex types. */
import type { ReactNode } from 'react';
import { JsonField } from '../parts/json/json-field.tsx';
import { MessageFields } from './message-fields.tsx';
import { jsonText, type Problems, type StateField, type StateMessage } from './state-fields.ts';

interface StateFormProps {
  fields: StateField[];
  values: Record<string, unknown>;
  change(name: string, value: unknown): void;
  /** The texts of JSON fields, as they were typed. */
  typed: Record<string, string>;
  type(name: string, text: string): void;
  problems: Problems;
}

export function StateForm({ fields, ...form }: StateFormProps) {
  if (fields.length === 0) return <p className="muted small">The state is empty.</p>;
  return fields.map((field) => <Field key={field.name} field={field} {...form} />);
}

function Field({
  field,
  values,
  change,
  typed,
  type,
  problems,
}: Omit<StateFormProps, 'fields'> & { field: StateField }) {
  const { name, kind } = field;
  const value = values[name];
  const set = (next: unknown) => change(name, next);
  switch (kind) {
    case 'messages':
      return <MessageFields name={name} messages={(value ?? []) as StateMessage[]} change={set} />;
    case 'text':
      return (
        <Labelled field={field}>
          <textarea
            className="field growing"
            rows={1}
            dir="auto"
            value={String(value ?? '')}
            onChange={(event) => set(event.target.value)}
          />
        </Labelled>
      );
    case 'number':
      return (
        <Labelled field={field}>
          <input
            className="field"
            type="number"
            step={field.type === 'integer' ? 1 : 'any'}
            value={typeof value === 'number' ? value : ''}
            onChange={(event) => set(event.target.value === '' ? undefined : Number(event.target.value))}
          />
        </Labelled>
      );
    case 'choice':
      return (
        <Labelled field={field}>
          <select
            className="field"
            value={field.choices.indexOf(value)}
            onChange={(event) => set(field.choices[Number(event.target.value)])}
          >
            {!field.choices.includes(value) && <option value={-1}>Not set</option>}
            {field.choices.map((choice, index) => (
              <option key={String(choice)} value={index}>
                {String(choice)}
              </option>
            ))}
          </select>
        </Labelled>
      );
    case 'flag':
      return (
        <label className="row">
          <input type="checkbox" checked={value === true} onChange={(event) => set(event.target.checked)} />
          <code>{name}</code>
        </label>
      );
    case 'json':
      return (
        <JsonField
          label={<code>{name}</code>}
          hint={<span className="muted small">{field.type}</span>}
          rows={2}
          text={typed[name] ?? jsonText(value)}
          change={(text) => type(name, text)}
          problem={problems[name]}
        />
      );
  }
}

function Labelled({ field: { name, type }, children }: { field: StateField; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the children include the control
    <label className="labelled">
      <span>
        <code>{name}</code> {type && <span className="muted small">{type}</span>}
      </span>
      {children}
    </label>
  );
}
