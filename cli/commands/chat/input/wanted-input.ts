/** The input that a workflow takes instead of a prompt. */
import { SkeinApiError } from '../../../../client/api-error.ts';
import type { JsonSchema } from '../../../../graphs/adoption/schemas/graph-schemas.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { type Connection, found } from '../../../service/connect.ts';

export interface Status {
  workflow: string;
  takes_prompt?: boolean;
  input_schema?: JsonSchema | null;
}

/** Also undefined if it can't be determined: the service then rejects the first message with the reason. */
export async function inputSchemaOf(
  connection: Connection,
  workflow: string,
): Promise<JsonSchema | undefined> {
  const path = `/api/v1/workflow-status/${encodeURIComponent(workflow)}`;
  const text = await found(connection, path).catch((error) => {
    if (error instanceof SkeinApiError || error instanceof SkeinError) return undefined;
    throw error;
  });
  return text === undefined ? undefined : wantedInput(JSON.parse(text) as Status);
}

export function wantedInput({ takes_prompt, input_schema }: Status): JsonSchema | undefined {
  return takes_prompt === false ? (input_schema ?? undefined) : undefined;
}
