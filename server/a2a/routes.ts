/** POST /a2a/{workflow}: A2A's JSON-RPC. GET of the agent cards. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ownerOf } from '../authentication/identity.ts';
import { callOf } from '../chat/reply.ts';
import type { Connections } from '../connection.ts';
import { errorResponses } from '../http/error-schema.ts';
import type { Services } from '../services.ts';
import { agentNamed, rootAgent } from './agent.ts';
import { A2A_ROUTE, a2aErrors } from './errors.ts';

const RpcMessage = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
    method: Type.String({ minLength: 1 }),
    // Checked by the official package, which answers in the protocol's own words.
    params: Type.Optional(Type.Unknown()),
  },
  { title: 'A2ARequest', additionalProperties: true },
);

const Card = Type.Object(
  { name: Type.String(), description: Type.String(), url: Type.String() },
  { title: 'AgentCard', additionalProperties: true },
);

const Params = Type.Object({
  workflow: Type.String({ description: 'A workflow, or the id of an assistant' }),
});

/** These take a turn of a workflow, and count as chats. */
const TURNS = ['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage'];

const WELL_KNOWN = '/.well-known/agent-card.json';

/** Loaded with the first request: the package would take its part of the service's start. */
const load = () => Promise.all([import('./rpc.ts'), import('./card-json.ts'), import('./agent-card.ts')]);

/** Without types of its routes: the typed client is that of the service's own API. */
export function a2aRoutes(services: Services & Connections): Elysia {
  const urlOf = (request: Request, name: string) =>
    `${services.originOf(request)}${services.web.base_path}/a2a/${encodeURIComponent(name)}`;

  async function cardOf(request: Request, name: string): Promise<Static<typeof Card>> {
    const agent = await agentNamed(services, request, name);
    const [{ cardFacts }, { cardJson }, { agentCard }] = await load();
    const url = urlOf(request, agent.pathName);
    return { url, ...(await cardJson(agentCard({ agent, url, ...cardFacts(services) }))) } as Static<
      typeof Card
    >;
  }

  const routes = new Elysia({ name: 'a2a' })
    .get(WELL_KNOWN, ({ request }) => cardOf(request, rootAgent(services)), {
      response: { 200: Card },
      detail: {
        summary: 'The card of the default agent (A2A)',
        tags: ['a2a'],
        responses: errorResponses('WORKFLOW_NOT_FOUND', 'CONFIGURATION_ERROR'),
      },
    })
    .get(`${A2A_ROUTE}${WELL_KNOWN}`, ({ request, params }) => cardOf(request, params.workflow), {
      params: Params,
      response: { 200: Card },
      detail: {
        summary: "An agent's card (A2A)",
        tags: ['a2a'],
        responses: errorResponses('WORKFLOW_NOT_FOUND', 'CONFIGURATION_ERROR'),
      },
    })
    .post(
      A2A_ROUTE,
      async ({ body, params, request, set }) => {
        const agent = await agentNamed(services, request, params.workflow);
        if (TURNS.includes(body.method)) await services.countChat(request);
        const [{ answered }] = await load();
        const call = { agent, body, request, owner: ownerOf(request), ...callOf(set) };
        return answered(services, { ...call, url: urlOf(request, agent.pathName) });
      },
      {
        parse: 'json',
        params: Params,
        body: RpcMessage,
        detail: {
          summary: 'A message to an agent, or about its tasks, as A2A (JSON-RPC) has it',
          tags: ['a2a'],
          responses: {
            200: {
              description: 'The result or an error, or the events of a task as they come',
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
