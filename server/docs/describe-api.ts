/** Makes the OpenAPI document: what the routes' schemas say, plus the rules that apply to all of them. */
import type { AnyElysia, InternalRoute } from 'elysia';
import type { ErrorCode } from '../../state/errors.ts';
import { a2aErrors, isA2APath } from '../a2a/errors.ts';
import { isAiSdkPath } from '../ai-sdk/errors.ts';
import type { Authenticator } from '../authentication/authenticator.ts';
import { isExempt, needsCaller } from '../authentication/guard.ts';
import { AnyJson, bodySchema, withDocumentedRules } from '../http/documented-schema.ts';
import { errorResponses } from '../http/error-schema.ts';
import { isProtocolPath, textErrors } from '../langgraph/errors.ts';
import { isMcpPath, rpcErrors } from '../mcp/errors.ts';
import { isOpenAIPath, openAIErrors } from '../openai/errors.ts';
import type { Answer, OpenApiDocument, Operation, Parameter } from './openapi-document.ts';
import { routeOperation, templatePath } from './route-operation.ts';

export interface Described {
  app: AnyElysia;
  version: string;
  authenticator: Pick<Authenticator, 'enabled' | 'protects'>;
  /** Of the workflows. */
  names: readonly string[];
  /** Below which the paths are; empty: none. */
  basePath: string;
}

const OPENAPI = '3.1.2';

export function describeApi({ app, version, authenticator, names, basePath }: Described): OpenApiDocument {
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

/** Chat accepts the names of this service's own workflows. */
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
  // A route documents answers beside those of its schemas.
  return {
    ...operation,
    parameters: parametersOf(operation.parameters ?? [], detail.parameters ?? []),
    ...(operation.requestBody && {
      requestBody: { ...operation.requestBody, content: Object.fromEntries(content) },
    }),
    responses: [detail.responses, operation.responses, commonErrors(route)].reduce<Record<string, Answer>>(
      (all, more = {}) => merged(all, more),
      {},
    ),
  };
}

function parametersOf(fromSchemas: Parameter[], documented: Parameter[]): Parameter[] {
  const byName = new Map([...documented, ...fromSchemas].map((one) => [`${one.in} ${one.name}`, one]));
  return Array.from(byName.values(), (one) => ({ ...one, schema: withDocumentedRules(one.schema ?? {}) }));
}

/** What any route of the kind may answer. */
function commonErrors({ method, path, hooks }: InternalRoute): Record<string, Answer> {
  const codes: ErrorCode[] = ['INTERNAL_ERROR'];
  if (path !== '/livez') codes.push('SHUTTING_DOWN');
  if (!isExempt(path))
    codes.push('UNAUTHORIZED', 'RATE_LIMITED', 'OVERLOADED', 'STATE_UNAVAILABLE', 'ISSUER_UNAVAILABLE');
  if (hooks.params || hooks.query || hooks.headers || hooks.body) codes.push('INVALID_REQUEST');
  if (hooks.body) codes.push('INVALID_JSON', 'OVERLOADED');
  if (method !== 'GET') codes.push('PAYLOAD_TOO_LARGE', 'STORAGE_FULL');
  return errorsOf(path)(...new Set(codes));
}

/** As the clients of a path read them. */
function errorsOf(path: string): (...codes: ErrorCode[]) => Record<string, Answer> {
  if (isOpenAIPath(path)) return openAIErrors;
  if (isA2APath(path)) return a2aErrors;
  if (isMcpPath(path)) return rpcErrors;
  return isAiSdkPath(path) || isProtocolPath(path) ? textErrors : errorResponses;
}

const WITHOUT_BODY = new Set(['204', '304']);

function merged(one: Record<string, Answer>, other: Record<string, Answer>): Record<string, Answer> {
  const statuses = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();
  return Object.fromEntries(statuses.map((status) => [status, answer(status, one[status], other[status])]));
}

function answer(status: string, one: Answer = {}, other: Answer = {}): Answer {
  const { description: _, content: __, ...rest } = { ...one, ...other };
  const content = { ...one.content, ...other.content };
  return {
    description: description(Number(status), one.description, other.description),
    ...rest,
    ...(!WITHOUT_BODY.has(status) && Object.keys(content).length > 0 && { content }),
  };
}

/** Errors list all codes; for a success the route's own description takes precedence over the framework's. */
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

function securityOf(path: string, { enabled, protects }: Described['authenticator']) {
  if (!enabled || isExempt(path)) return {};
  // Without the global check credentials are optional, but must be valid if sent.
  return { security: protects || needsCaller(path) ? ANY_SCHEME : [{}, ...ANY_SCHEME] };
}
