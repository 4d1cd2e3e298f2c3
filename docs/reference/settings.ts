/** docs/settings.md: every setting with its type, its default and its variable, from the schema of the settings. */
import classification from '../../graphs/classification-agent/graph.ts';
import knowledge from '../../graphs/knowledge-base-agent/graph.ts';
import sql from '../../graphs/sql-manipulation-agent/graph.ts';
import type { Schema } from '../../server/http/schemas/documented-schema.ts';
import { PLAIN_VARIABLES } from '../../settings/environment/environment.ts';
import { FLAG_PATHS } from '../../settings/flags.ts';
import { Settings } from '../../settings/schema.ts';
import { type FieldRow, fieldRows, rulesOf, typeOf } from './field-rows.ts';
import { code, page, table } from './markdown.ts';

export function settingsPage(): string {
  const blocks = Object.entries(Settings.properties).map(([name, schema]) => block(name, schema));
  return page('Settings', INTRODUCTION, variables(), ...blocks, ...ofWorkflows());
}

const CORE = {
  'classification-agent': classification,
  'knowledge-base-agent': knowledge,
  'sql-manipulation-agent': sql,
};

/** What only one workflow of the core has. */
function ofWorkflows(): string[] {
  return Object.entries(CORE).flatMap(([name, { options }]) => {
    const rows = fieldRows(options, `workflows.${name}.`).map(row);
    return rows.length === 0 ? [] : [[`## workflows.${name}`, table(COLUMNS, rows)].join('\n\n')];
  });
}

const INTRODUCTION = `Every setting has a default. [configuration.md](configuration.md) explains where settings are read and which value
wins. \`skein validate\` prints the settings that differ from their defaults, and where each one comes from.

Each setting has a variable; a list or an object can be given as JSON. In a variable's name, an index counts from 0: \`SERVICE_MODELS__0__MODEL\` is \`models[0].model\`. Write a workflow's name with \`_\`
for \`-\`. Append \`_FILE\` to the name of any variable to read its value from a file.

**Secret** settings never appear in responses, logs or diagnostics. A relative **path** starts at the folder of the file that sets it.`;

function variables(): string {
  const flags = Object.entries(FLAG_PATHS).map(([flag, path]) => [code(flag), code(path)]);
  return [
    '## Other variables and flags',
    `These variables don't begin with \`SERVICE_\` and a block's name: ${PLAIN_VARIABLES.map(code).join(', ')}.`,
    table(['flag', 'sets'], flags),
  ].join('\n\n');
}

function block(name: string, schema: Schema): string {
  const rows = fieldRows({ properties: { [name]: schema } });
  // The block itself has its description above the table.
  const inner = rows.length > 1 ? rows.slice(1) : rows;
  const description = inner === rows ? [] : [String(schema.description)];
  return [`## ${name}`, ...description, table(COLUMNS, inner.map(row))].join('\n\n');
}

const COLUMNS = ['setting', 'type', 'default', 'meaning'];

function row({ path, schema, required }: FieldRow): string[] {
  const rules = rulesOf(schema);
  const marks = [schema.secret && 'Secret.', schema.path && 'A path.'].filter(Boolean);
  return [
    `${code(path)}${isLeaf(schema) ? `<br>${code(variable(path))}` : ''}`,
    `${typeOf(schema)}${rules === '' ? '' : `; ${rules}`}`,
    fallback(schema, required),
    [String(schema.description), ...marks].join(' '),
  ];
}

/** Each field of an object has its own variable. */
function isLeaf(schema: Schema): boolean {
  return fieldRows({ properties: { '': schema } }).length === 1;
}

function variable(path: string): string {
  return `SERVICE_${path.replaceAll('.', '__').replaceAll('[]', '__0').replaceAll('-', '_').toUpperCase()}`;
}

function fallback(schema: Schema, required: boolean): string {
  const { default: value } = schema;
  if (value === undefined) return required ? 'required' : 'unset';
  if (Array.isArray(value)) return value.map((one) => code(String(one.name ?? one))).join(', ') || 'none';
  if (typeof value === 'object') return isLeaf(schema) ? 'none' : 'see below';
  return value === '' ? 'empty' : code(String(value));
}
