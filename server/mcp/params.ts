/** Parameters that a method does not take: the package would answer them as an internal error, with its validator's report. */
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

/** The answer to a message whose parameters are wrong. Anything else that is wrong with it is left to the package. */
export function paramsRefused(body: unknown, requestId: string): object | undefined {
  const { jsonrpc, id, method } = (body ?? {}) as Message;
  const isRequest = jsonrpc === '2.0' && (typeof id === 'string' || Number.isInteger(id));
  if (!isRequest || typeof method !== 'string' || !Object.hasOwn(SCHEMAS, method)) return undefined;
  const checked = SCHEMAS[method as keyof typeof SCHEMAS]['~standard'].validate(body);
  const [issue] = checked instanceof Promise ? [] : (checked.issues ?? []);
  if (!issue) return undefined;
  const place = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step)).join('.');
  const detail = `${place}: not what ${method} takes`;
  const data = errorBody(new SkeinError('INVALID_REQUEST', { detail }), requestId);
  return { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message: detail, data } };
}
