/** An agent's card on the wire: one JSON object that clients of version 1.0 and of 0.3 read. */
import { AgentCard } from '@a2a-js/sdk';
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';

type Json = Record<string, unknown>;

export async function cardJson(card: AgentCard): Promise<Json> {
  const asked = { getAuthenticatedExtendedAgentCard: async () => card } as unknown as A2ARequestHandler;
  const legacy = await new LegacyRestTransportHandler(asked).getAuthenticatedExtendedAgentCard(
    new ServerCallContext(),
  );
  return merged(AgentCard.toJSON(card) as Json, legacy as unknown as Json);
}

/** `one`, with what only `other` has. */
function merged(one: Json, other: Json): Json {
  const entries = Object.entries(other).map(([key, value]) => [key, both(one[key], value)] as const);
  return { ...one, ...Object.fromEntries(entries) };
}

function both(one: unknown, other: unknown): unknown {
  if (one === undefined) return other;
  if (Array.isArray(one) && Array.isArray(other)) return one.map((item, at) => both(item, other[at]));
  return isObject(one) && isObject(other) ? merged(one, other) : one;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
