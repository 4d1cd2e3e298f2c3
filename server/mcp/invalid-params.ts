/** Rejects invalid parameters of methods. The package would respond with an internal error and the report of its validator. */
import { specTypeSchemas } from '@modelcontextprotocol/server';
import { errorBody, SkeinError } from '../../state/errors.ts';

const SCHEMAS = {
  initialize: specTypeSchemas.InitializeRequest,
  'tools/list': specTypeSchemas.ListToolsRequest,
  'tools/call': specTypeSchemas.CallToolRequest,
  'resources/list': specTypeSchemas.ListResourcesRequest,
  'resources/templates/list': specTypeSchemas.ListResourceTemplatesRequest,
  'resources/read': specTypeSchemas.ReadResourceRequest,
  'prompts/list': specTypeSchemas.ListPromptsRequest,
  'prompts/get': specTypeSchemas.GetPromptRequest,
};

// https://www.jsonrpc.org/specification#error_object
const INVALID_PARAMS = -32602;

interface Message {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
}

/** The error response if the parameters are invalid. Returns undefined otherwise: the package handles all other errors. */
export function invalidParamsResponse(body: unknown, requestId: string): object | undefined {
  const { jsonrpc, id, method } = (body ?? {}) as Message;
  const isRequest = jsonrpc === '2.0' && (typeof id === 'string' || Number.isInteger(id));
  if (!isRequest || typeof method !== 'string' || !Object.hasOwn(SCHEMAS, method)) return undefined;
  const checked = SCHEMAS[method as keyof typeof SCHEMAS]['~standard'].validate(body);
  const [issue] = checked instanceof Promise ? [] : (checked.issues ?? []);
  if (!issue) return undefined;
  const path = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step)).join('.');
  const detail = `${path}: not valid for ${method}`;
  const data = errorBody(new SkeinError('INVALID_REQUEST', { detail }), requestId);
  return { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message: detail, data } };
}
