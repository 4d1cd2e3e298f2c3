/** The names and types of a graph's input fields, required fields first. */
import { inputFields } from './input-schema.ts';

export function SchemaFields({ schema }: { schema: unknown }) {
  const fields = inputFields(schema).toSorted((a, b) => Number(b.required) - Number(a.required));
  return fields.map(({ name, type, required }) => (
    <span key={name} className="muted small">
      <code>{name}</code>
      {required && <abbr title="required">*</abbr>} {type}
    </span>
  ));
}
