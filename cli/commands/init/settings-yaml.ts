/** Settings as YAML: the chosen ones are set, all others are comments. */
import type { TObject, TSchema } from '@sinclair/typebox';

/** Values by dotted path: `web_configuration.port`. */
export type Chosen = Record<string, string | number | boolean>;

interface FieldContext {
  chosen: Chosen;
  path: string;
  /** The indentation of the fields: spaces, and `- ` before the first field of a list entry. */
  indent: string;
}

/** Each field with its default and its description. */
export function settingsYaml(schema: TObject, chosen: Chosen): string {
  const blocks = Object.entries(schema.properties).map(([name, block]) =>
    field(name, block, { chosen, path: '', indent: '' }).join('\n'),
  );
  return `${blocks.join('\n\n')}\n`;
}

function field(name: string, schema: TSchema, { chosen, path, indent }: FieldContext): string[] {
  const here = path === '' ? name : `${path}.${name}`;
  const mark = Object.keys(chosen).some((key) => key === here || key.startsWith(`${here}.`)) ? '' : '# ';
  const below = { chosen, path: here, indent: `${indent.replace('-', ' ')}  ` };
  const about = schema.description ? ` # ${schema.description}` : '';
  const inside = fieldsIn(schema, below);
  const value = inside.length > 0 ? '' : valueText(schema, chosen[here]);
  return [`${mark}${indent}${name}:${value}${about}`, ...inside];
}

function fieldsIn(schema: TSchema, below: FieldContext): string[] {
  if (schema.patternProperties) {
    const [named] = Object.values(schema.patternProperties as Record<string, TSchema>);
    return named ? field('name-of-one', named, below) : [];
  }
  const entry = schema.type === 'array' ? schema.items : undefined;
  const properties = Object.entries(((entry ?? schema).properties ?? {}) as Record<string, TSchema>);
  return properties.flatMap(([name, inner], at) => {
    const { indent } = below;
    return field(name, inner, { ...below, indent: entry ? `${indent}${at === 0 ? '- ' : '  '}` : indent });
  });
}

function valueText({ default: usual }: TSchema, chosen: Chosen[string] | undefined): string {
  const value = chosen ?? usual;
  return value === undefined ? '' : ` ${JSON.stringify(value)}`;
}
