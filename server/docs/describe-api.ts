/** Creates the OpenAPI document from the schemas of the routes, plus the errors and rules that all routes share. */
import type { AnyElysia, InternalRoute } from 'elysia';
import type { ErrorCode } from '../../state/errors.ts';
import { a2aErrors, isA2APath } from '../a2a/errors.ts';
import { isAiSdkPath } from '../ai-sdk/errors.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { isExempt, needsCaller } from '../authentication/guard.ts';
import { AnyJson, bodySchema, withDocumentedRules } from '../http/schemas/documented-schema.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import { isProtocolPath, textErrors } from '../langgraph/errors.ts';
import { isMcpPath, mcpErrors } from '../mcp/errors.ts';
import { isOpenAIPath, openAIErrors } from '../openai/errors.ts';
import type { OpenApiDocument, Operation, OperationResponse, Parameter } from './openapi-document.ts';
import { routeOperation, templatePath } from './route-operation.ts';

export interface DescribedApi {
  app: AnyElysia;
  version: string;
  authenticator: Pick<Authenticator, 'enabled' | 'protects'>;
  /** The names of the workflows. */
  names: readonly string[];
  /** The prefix of all paths. May be empty. */
  basePath: string;
}

const OPENAPI = '3.1.2';

export function describeApi({ app, version, authenticator, names, basePath }: DescribedApi): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of app.routes.filter(({ hooks }) => !hooks.detail?.hide)) {
    const path = templatePath(route.path);
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: {
        ...completed(routeOperation(route), route),
        ...securityOf(route.path, authenticator),
      },
    };
  }
  nameWorkflows(paths, names);
  return {
    openapi: OPENAPI,
    info: { title: 'Skein', version, description: 'A runtime service for agent workflows.' },
    ...(basePath !== '' && { servers: [{ url: basePath }] }),
    paths,
    components: { schemas: { AnyJson }, ...(authenticator.enabled && { securitySchemes: SCHEMES }) },
  };
}

/** Documents the workflow names that chat accepts: those of this service, with hyphens or underscores. */
function nameWorkflows(paths: OpenApiDocument['paths'], names: readonly string[]): void {
  const body = paths['/api/v1/chat']?.post?.requestBody?.content?.['application/json']?.schema;
  const { conversation_flow } = (body?.properties ?? {}) as Record<string, { enum?: string[] }>;
  if (conversation_flow)
    conversation_flow.enum = names.flatMap((name) => [...new Set([name, name.replaceAll('-', '_')])]);
}

function completed(operation: Operation, route: InternalRoute): Operation {
  const detail: Operation = route.hooks.detail ?? {};
  const content = Object.entries(operation.requestBody?.content ?? {}).map(
    ([type, { schema }]) => [type, schema === undefined ? {} : { schema: bodySchema(schema) }] as const,
  );
  // A route can document responses in addition to those of its schemas.
  return {
    ...operation,
    parameters: parametersOf(operation.parameters ?? [], detail.parameters ?? []),
    ...(operation.requestBody && {
      requestBody: { ...operation.requestBody, content: Object.fromEntries(content) },
    }),
    responses: [detail.responses, operation.responses, commonErrors(route)].reduce<
      Record<string, OperationResponse>
    >((all, more = {}) => merged(all, more), {}),
  };
}

function parametersOf(fromSchemas: Parameter[], documented: Parameter[]): Parameter[] {
  const byName = new Map([...documented, ...fromSchemas].map((one) => [`${one.in} ${one.name}`, one]));
  return Array.from(byName.values(), (one) => ({ ...one, schema: withDocumentedRules(one.schema ?? {}) }));
}

/** The errors that every route of this kind may respond with. */
function commonErrors({ method, path, hooks }: InternalRoute): Record<string, OperationResponse> {
  const codes: ErrorCode[] = ['INTERNAL_ERROR'];
  if (path !== '/livez') codes.push('SHUTTING_DOWN');
  if (!isExempt(path))
    codes.push('UNAUTHORIZED', 'RATE_LIMITED', 'OVERLOADED', 'STATE_UNAVAILABLE', 'ISSUER_UNAVAILABLE');
  if (hooks.params || hooks.query || hooks.headers || hooks.body) codes.push('INVALID_REQUEST');
  if (hooks.body) codes.push('INVALID_JSON', 'OVERLOADED');
  if (method !== 'GET') codes.push('PAYLOAD_TOO_LARGE', 'STORAGE_FULL');
  return errorsOf(path)(...new Set(codes));
}

/** Selects the error schema of the protocol that a path belongs to. */
function errorsOf(path: string): (...codes: ErrorCode[]) => Record<string, OperationResponse> {
  if (isOpenAIPath(path)) return openAIErrors;
  if (isA2APath(path)) return a2aErrors;
  if (isMcpPath(path)) return mcpErrors;
  return isAiSdkPath(path) || isProtocolPath(path) ? textErrors : errorResponses;
}

const WITHOUT_BODY = new Set(['204', '304']);

function merged(
  one: Record<string, OperationResponse>,
  other: Record<string, OperationResponse>,
): Record<string, OperationResponse> {
  const statuses = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();
  return Object.fromEntries(
    statuses.map((status) => [status, mergedResponse(status, one[status], other[status])]),
  );
}

function mergedResponse(
  status: string,
  one: OperationResponse = {},
  other: OperationResponse = {},
): OperationResponse {
  const { description: _, content: __, ...rest } = { ...one, ...other };
  const content = { ...one.content, ...other.content };
  return {
    description: description(Number(status), one.description, other.description),
    ...rest,
    ...(!WITHOUT_BODY.has(status) && Object.keys(content).length > 0 && { content }),
  };
}

/** Joins the error codes of both descriptions. For a success, the route's own description takes precedence over Elysia's. */
function description(status: number, one?: string, other?: string): string {
  if (status < 400) return one ?? other ?? '';
  return [...new Set([one, other].flatMap((codes) => codes?.split(', ') ?? []))].join(', ');
}

const SCHEMES = {
  basic: { type: 'http', scheme: 'basic' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of a login or of the issuer, or an API key',
  },
  api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
};

const ANY_SCHEME = Object.keys(SCHEMES).map((name) => ({ [name]: [] }));

function securityOf(path: string, { enabled, protects }: DescribedApi['authenticator']) {
  if (!enabled || isExempt(path)) return {};
  // Without `enable_global_middleware`, credentials are optional, but invalid ones are rejected. `{}` means no credentials.
  return { security: protects || needsCaller(path) ? ANY_SCHEME : [{}, ...ANY_SCHEME] };
}
