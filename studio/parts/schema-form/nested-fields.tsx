/** The fields of an object and the items of a list. */
import { useId } from 'react';
import { Icon } from '../icon.tsx';
import { type Field, fieldOf, type NamedField, type SchemaNode } from './field.ts';
import { type FormProblems, initialOf, pathIn } from './form-value.ts';
import { PlainField } from './plain-field.tsx';

interface Placed {
  path: string;
  problems: FormProblems;
}

interface ObjectFieldsProps extends Placed {
  fields: NamedField[];
  value: Record<string, unknown>;
  change(value: Record<string, unknown>): void;
}

export function ObjectFields({ fields, value, change, path, ...placed }: ObjectFieldsProps) {
  /** Omits a field whose value is undefined. */
  function set(name: string, inner: unknown) {
    const { [name]: _, ...others } = value;
    change(inner === undefined ? others : { ...value, [name]: inner });
  }
  return fields.map(({ name, required, node }) => (
    <AnyField
      key={name}
      {...placed}
      {...{ node, required, name }}
      path={pathIn(path, name)}
      value={Object.hasOwn(value, name) ? value[name] : undefined}
      change={(inner) => set(name, inner)}
    />
  ));
}

interface AnyFieldProps extends Placed {
  node: SchemaNode;
  name: string;
  required: boolean;
  /** Undefined if the field is not set. */
  value: unknown;
  change(value: unknown): void;
}

function AnyField(props: AnyFieldProps) {
  const field = fieldOf(props.node);
  if (field.kind === 'list' || field.kind === 'object') return <Nested {...props} field={field} />;
  return <PlainField {...props} field={field} />;
}

type NestedField = Extract<Field, { kind: 'list' | 'object' }>;

/** Collapsed until a value is set, because a schema may contain itself. */
function Nested(props: AnyFieldProps & { field: NestedField }) {
  const { field, node, name, required, value, change, path, problems } = props;
  const id = useId();
  const label = field.title ?? name;
  const problem = problems.get(path);
  const isGiven = value !== undefined && value !== null;
  return (
    <fieldset
      className="schema-nested"
      aria-describedby={problem && id}
      data-invalid={problem !== undefined}
      tabIndex={-1}
    >
      <legend>
        {label}
        {required && <span aria-hidden="true"> *</span>}
        {value === null && <span className="muted"> null</span>}
      </legend>
      {field.description && <p className="muted small">{field.description}</p>}
      {isGiven && field.kind === 'object' && (
        <ObjectFields
          fields={field.fields}
          value={(typeof value === 'object' && !Array.isArray(value) ? value : {}) as Record<string, unknown>}
          {...{ path, problems, change }}
        />
      )}
      {isGiven && field.kind === 'list' && (
        <Items
          items={Array.isArray(value) ? value : []}
          node={field.of}
          {...{ label, path, problems, change }}
        />
      )}
      {problem && (
        <p className="small bad" role="alert" id={id}>
          {problem}
        </p>
      )}
      <div className="row wrap">
        {!isGiven && field.kind === 'object' && (
          <button type="button" className="button small" onClick={() => change(initialOf(node, true) ?? {})}>
            <Icon name="plus" size={12} />
            Add {label}
          </button>
        )}
        {!isGiven && field.kind === 'list' && (
          <AddItem label={label} add={() => change([initialOf(field.of, true) ?? null])} />
        )}
        {isGiven && !required && (
          <button type="button" className="button small quiet" onClick={() => change(undefined)}>
            Remove {label}
          </button>
        )}
        {field.nullable && value !== null && (
          <button type="button" className="button small quiet" onClick={() => change(null)}>
            Set {label} to null
          </button>
        )}
      </div>
    </fieldset>
  );
}

interface ItemsProps extends Placed {
  label: string;
  items: unknown[];
  node: SchemaNode;
  change(items: unknown[]): void;
}

function Items({ label, items, node, change, path, ...placed }: ItemsProps) {
  return (
    <>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their index
        <div key={index} className="schema-item">
          <AnyField
            {...placed}
            {...{ node, required: true, name: `${label} ${index + 1}` }}
            path={pathIn(path, index)}
            value={item}
            change={(inner) => change(items.with(index, inner ?? null))}
          />
          <button
            type="button"
            className="button small icon quiet"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => change(items.toSpliced(index, 1))}
          >
            <Icon name="close" size={12} />
          </button>
        </div>
      ))}
      <AddItem label={label} add={() => change([...items, initialOf(node, true) ?? null])} />
    </>
  );
}

function AddItem({ label, add }: { label: string; add(): void }) {
  return (
    <button type="button" className="button small" onClick={add}>
      <Icon name="plus" size={12} />
      Add to {label}
    </button>
  );
}
