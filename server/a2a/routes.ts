/** POST /a2a/{workflow}: the A2A JSON-RPC endpoint. GET .../.well-known/agent-card.json: the agent cards. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import { requestContext } from '../chat/reply.ts';
import type { Connections } from '../connection.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Services } from '../services.ts';
import { defaultAgentName, findAgent } from './agent.ts';
import { A2A_ROUTE, a2aErrors } from './errors.ts';

const RpcMessage = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
    method: Type.String({ minLength: 1 }),
    // Validated by the official package, which responds with the protocol's errors.
    params: Type.Optional(Type.Unknown()),
  },
  { title: 'A2ARequest', additionalProperties: true },
);

const Card = Type.Object(
  { name: Type.String(), description: Type.String(), url: Type.String() },
  { title: 'AgentCard', additionalProperties: true },
);

const Params = Type.Object({
  workflow: Type.String({ description: 'The name of a workflow, or the id of an assistant' }),
});

/** The methods that start a turn. They count toward the caller's limit of chats per minute. */
const TURN_METHODS = ['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage'];

const WELL_KNOWN = '/.well-known/agent-card.json';

/** Imports the package at the first request, because loading it would slow down the service's start. */
const load = () => Promise.all([import('./rpc.ts'), import('./card-json.ts'), import('./agent-card.ts')]);

/** Returns a plain `Elysia`, without the types of the routes: the typed client only covers the service's own API. */
export function a2aRoutes(services: Services & Connections): Elysia {
  const urlOf = (request: Request, name: string) =>
    `${services.originOf(request)}${services.web.base_path}/a2a/${encodeURIComponent(name)}`;

  async function cardOf(request: Request, name: string): Promise<Static<typeof Card>> {
    const agent = await findAgent(services, request, name);
    const [{ cardFacts }, { cardJson }, { agentCard }] = await load();
    const url = urlOf(request, agent.pathName);
    return { url, ...(await cardJson(agentCard({ agent, url, ...cardFacts(services) }))) } as Static<
      typeof Card
    >;
  }

  const routes = new Elysia({ name: 'a2a' })
    .get(WELL_KNOWN, ({ request }) => cardOf(request, defaultAgentName(services)), {
      response: { 200: Card },
      detail: {
        summary: 'Get the agent card of the default agent (A2A)',
        tags: ['a2a'],
        responses: errorResponses('WORKFLOW_NOT_FOUND', 'CONFIGURATION_ERROR'),
      },
    })
    .get(`${A2A_ROUTE}${WELL_KNOWN}`, ({ request, params }) => cardOf(request, params.workflow), {
      params: Params,
      response: { 200: Card },
      detail: {
        summary: 'Get the agent card of an agent (A2A)',
        tags: ['a2a'],
        responses: errorResponses('WORKFLOW_NOT_FOUND', 'CONFIGURATION_ERROR'),
      },
    })
    .post(
      A2A_ROUTE,
      async ({ body, params, request, set }) => {
        const agent = await findAgent(services, request, params.workflow);
        if (TURN_METHODS.includes(body.method)) await services.countChat(request);
        const [{ handleRpc }] = await load();
        const call = { agent, body, request, owner: ownerOf(request), ...requestContext(set) };
        return handleRpc(services, { ...call, url: urlOf(request, agent.pathName) });
      },
      {
        parse: 'json',
        params: Params,
        body: RpcMessage,
        detail: {
          summary: 'Call an A2A method of an agent (JSON-RPC): send messages, read, cancel and list tasks',
          tags: ['a2a'],
          responses: {
            200: {
              description: 'The result, an error, or a stream of task events',
              content: { 'application/json': {}, 'text/event-stream': {} },
            },
            ...a2aErrors(
              ...(['INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED', 'WORKFLOW_NOT_FOUND'] as const),
              ...(['PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'CONFIGURATION_ERROR'] as const),
              ...(['INTERNAL_ERROR', 'OVERLOADED', 'SHUTTING_DOWN'] as const),
            ),
          },
        },
      },
    );
  return routes as unknown as Elysia;
}
