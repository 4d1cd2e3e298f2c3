/** Reads the schemas of a graph's input, context and channels from the graph itself. */
import {
  getConfigTypeSchema,
  getInputTypeSchema,
  getOutputTypeSchema,
  getStateTypeSchema,
} from '@langchain/langgraph/zod/schema';
import type { CompiledGraph } from '../../authoring/workflow.ts';

export type JsonSchema = Record<string, unknown> & {
  properties?: Record<string, JsonSchema>;
  required?: string[];
};

/** The key under which LangGraph stores a state graph's schemas; graphs of the functional API have none. */
interface Built {
  builder?: {
    _inputDefinition?: object;
    _schemaDefinitions?: Map<object, object>;
    _inputRuntimeDefinition?: Fields | symbol;
    _schemaRuntimeDefinition?: Fields;
    _configRuntimeSchema?: StandardSchema;
  };
  /** From the graph's own copy of LangGraph, because a project may have a different copy than the service. */
  _metaRegistry?: Parameters<typeof getInputTypeSchema>[1];
  _validateInput?(input: unknown): Promise<unknown>;
}

/** Zod schemas, and LangGraph's own state schemas. */
interface Fields {
  shape?: Record<string, StandardSchema>;
  fields?: Record<string, StandardSchema>;
}

/** https://standardschema.dev */
interface StandardSchema {
  '~standard'?: {
    validate(value: unknown): Promise<Validated> | Validated;
  };
}

type Validated = { value: unknown; issues?: undefined } | { issues: readonly Issue[] };

export interface Issue {
  message: string;
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined;
}

/** The input channels; undefined if the input can be any value. */
export function inputChannels(graph: CompiledGraph): string[] | undefined {
  const { builder } = graph as Built;
  const definition = builder?._inputDefinition;
  if (!definition) return undefined;
  return Object.keys(builder._schemaDefinitions?.get(definition) ?? definition);
}

/** Undefined if the graph has no runtime schema, as with annotations. */
export function inputSchema(graph: CompiledGraph): JsonSchema | undefined {
  return schemaOf(getInputTypeSchema, graph);
}

export function contextSchema(graph: CompiledGraph): JsonSchema | undefined {
  const schema = schemaOf(getConfigTypeSchema, graph);
  if (!schema || !Array.isArray(schema.required)) return schema;
  // This is the schema of the parsed output, in which fields with a default are always set.
  const { required, ...rest } = schema;
  const withoutDefault = required.filter((name) => schema.properties?.[name]?.default === undefined);
  return withoutDefault.length > 0 ? { ...rest, required: withoutDefault } : rest;
}

/** All schemas that a graph declares, with the names of LangGraph's API; null for undeclared ones. */
export function graphSchemas(graph: CompiledGraph) {
  const context_schema = contextSchema(graph) ?? null;
  return {
    input_schema: inputSchema(graph) ?? null,
    output_schema: schemaOf(getOutputTypeSchema, graph) ?? null,
    state_schema: schemaOf(getStateTypeSchema, graph) ?? null,
    config_schema: context_schema,
    context_schema,
  };
}

/** Undefined for a schema that JSON Schema can't express, such as a transformation. */
function schemaOf(read: typeof getInputTypeSchema, graph: CompiledGraph): JsonSchema | undefined {
  try {
    return read(graph as never, (graph as Built)._metaRegistry) as JsonSchema | undefined;
  } catch {
    return undefined;
  }
}

/** The string fields of the input schema that have no default. */
export async function requiredStrings(graph: CompiledGraph): Promise<string[]> {
  const { _inputRuntimeDefinition: input, _schemaRuntimeDefinition: state } = (graph as Built).builder ?? {};
  // A symbol stands for the whole state.
  const { shape, fields = shape } = (typeof input === 'object' ? input : state) ?? {};
  const properties = inputSchema(graph)?.properties ?? {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(fields ?? {})) {
    if (properties[name]?.type !== 'string') continue;
    const checked = await field['~standard']?.validate(undefined);
    if (checked?.issues) required.push(name);
  }
  return required;
}

/** Whether the schema declares the field as a string. */
export function isTextField(graph: CompiledGraph, name: string): boolean {
  return inputSchema(graph)?.properties?.[name]?.type === 'string';
}

/** The issues of an input under the graph's schema; undefined if it is valid. */
export async function inputIssues(graph: CompiledGraph, input: unknown): Promise<Issue[] | undefined> {
  try {
    // LangGraph runs the same validation when the graph starts.
    await (graph as Built)._validateInput?.(input);
    return undefined;
  } catch (error) {
    return issuesOf(error);
  }
}

/** The context with the schema's defaults, or its issues. */
export async function checkedContext(
  graph: CompiledGraph,
  context: unknown,
): Promise<{ value: unknown; issues?: undefined } | { issues: readonly Issue[] }> {
  const check = (graph as Built).builder?._configRuntimeSchema?.['~standard'];
  return check ? check.validate(context) : { value: context };
}

const FIELD = /^Validation failed for field "(.+?)": (\[.*\])$/s;

/** Extracts the issues from zod's errors, and from LangGraph's errors for Standard Schemas, which contain them as text. */
function issuesOf(error: unknown): Issue[] {
  const { issues, message } = error as { issues?: Issue[]; message?: string };
  if (Array.isArray(issues)) return issues;
  const [, field, text] = FIELD.exec(message ?? '') ?? [];
  if (field === undefined || text === undefined) return [{ message: message ?? 'the value is invalid' }];
  return (JSON.parse(text) as Issue[]).map((issue) => ({ ...issue, path: [field, ...(issue.path ?? [])] }));
}

/** All issues in one line, each with its path below `root`. */
export function issueText(root: string, issues: readonly Issue[]): string {
  const lines = issues.slice(0, 5).map(({ path = [], message }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
    return `${[root, ...keys].join('.')}: ${message}`;
  });
  return lines.join('; ');
}
