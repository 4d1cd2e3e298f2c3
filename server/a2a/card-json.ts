/** Serializes an agent card as one JSON object that A2A 1.0 and 0.3 clients can read. */
import { AgentCard } from '@a2a-js/sdk';
import { LegacyRestTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';

type Json = Record<string, unknown>;

export async function cardJson(card: AgentCard): Promise<Json> {
  const handler = { getAuthenticatedExtendedAgentCard: async () => card } as unknown as A2ARequestHandler;
  const legacy = await new LegacyRestTransportHandler(handler).getAuthenticatedExtendedAgentCard(
    new ServerCallContext(),
  );
  return merge(AgentCard.toJSON(card) as Json, legacy as unknown as Json);
}

/** Returns `one` with the properties added that only `other` has, recursively. */
function merge(one: Json, other: Json): Json {
  const entries = Object.entries(other).map(([key, value]) => [key, mergeValues(one[key], value)] as const);
  return { ...one, ...Object.fromEntries(entries) };
}

function mergeValues(one: unknown, other: unknown): unknown {
  if (one === undefined) return other;
  if (Array.isArray(one) && Array.isArray(other))
    return one.map((item, index) => mergeValues(item, other[index]));
  return isObject(one) && isObject(other) ? merge(one, other) : one;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
