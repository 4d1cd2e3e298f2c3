/** The protocols beside the service's own API: how each one's clients read an error, by the path of the request. */
import type { ErrorBody } from '../state/errors.ts';
import { a2aError, isA2APath } from './a2a/errors.ts';
import { aiSdkError, isAiSdkPath } from './ai-sdk/errors.ts';
import { errorText, isProtocolPath } from './langgraph/errors.ts';
import { isMcpPath, rpcError } from './mcp/errors.ts';
import { isOpenAIPath, openAIError } from './openai/errors.ts';

export type Presented = (body: ErrorBody) => object | string;

// The first that has the path: LangGraph's are whatever is left at the root.
const FACES: { has(path: string): boolean; error: Presented }[] = [
  { has: isOpenAIPath, error: openAIError },
  { has: isMcpPath, error: rpcError },
  { has: isAiSdkPath, error: aiSdkError },
  { has: isA2APath, error: a2aError },
  { has: isProtocolPath, error: errorText },
];

/** Undefined where the path is of the service's own API. */
export function faceError(path: string): Presented | undefined {
  return FACES.find(({ has }) => has(path))?.error;
}
