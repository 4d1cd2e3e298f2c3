/** Selects the error format of a protocol by the path of the request. */
import type { ErrorBody } from '../state/errors.ts';
import { a2aError, isA2APath } from './a2a/errors.ts';
import { aiSdkError, isAiSdkPath } from './ai-sdk/errors.ts';
import { errorText, isProtocolPath } from './langgraph/errors.ts';
import { isMcpPath, mcpError } from './mcp/errors.ts';
import { isOpenAIPath, openAIError } from './openai/errors.ts';

/** Returns a JSON body, or a string that is sent as plain text. */
export type FormatError = (body: ErrorBody) => object | string;

// The first match wins. LangGraph's paths are at the root, so they come last.
const PROTOCOLS: { has(path: string): boolean; format: FormatError }[] = [
  { has: isOpenAIPath, format: openAIError },
  { has: isMcpPath, format: mcpError },
  { has: isAiSdkPath, format: aiSdkError },
  { has: isA2APath, format: a2aError },
  { has: isProtocolPath, format: errorText },
];

/** Returns undefined for a path of Skein's own API. */
export function protocolErrorFormat(path: string): FormatError | undefined {
  return PROTOCOLS.find(({ has }) => has(path))?.format;
}
