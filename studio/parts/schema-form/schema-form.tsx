/** A form for a JSON schema. Values without a suitable control have a JSON editor. */
import { fieldOf, rootNode } from './field.ts';
import { type FormProblems, isObject } from './form-value.ts';
import { ObjectFields } from './nested-fields.tsx';
import './schema-form.css';

export interface SchemaFormProps {
  /** The schema of an object, for which `hasForm` is true. */
  schema: unknown;
  /** The accessible name of the form. */
  label: string;
  /** Starts as `initialValue`. */
  value: unknown;
  change(value: unknown): void;
  problems: FormProblems;
}

export function SchemaForm({ schema, label, value, change, problems }: SchemaFormProps) {
  const field = fieldOf(rootNode(schema));
  if (field.kind !== 'object') return null;
  const problem = problems.get('');
  return (
    // biome-ignore lint/a11y/useSemanticElements: a legend would have to be its first child
    <div className="schema-form" role="group" aria-label={label}>
      {problem && (
        <p className="small bad" role="alert">
          {problem}
        </p>
      )}
      <ObjectFields
        fields={field.fields}
        value={isObject(value) ? value : {}}
        {...{ change, problems, path: '' }}
      />
    </div>
  );
}
