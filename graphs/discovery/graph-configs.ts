/** Parses `LANGGRAPH_CONFIG`: the configs of the graphs' default assistants, as JSON by graph. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Problem } from '../../state/schema/check-options.ts';
import { firstWrong } from '../../tools/json/first-wrong.ts';
import { textPosition } from '../../tools/json/text-position.ts';
import { findProblems } from './find-problems.ts';

export const CONFIG_VARIABLE = 'LANGGRAPH_CONFIG';

const Mapping = Type.Record(Type.String(), Type.Unknown());

const GraphConfig = Type.Object(
  { configurable: Type.Optional(Mapping), context: Type.Optional(Mapping) },
  { expected: 'a mapping with configurable or context' },
);
const Configs = Type.Record(Type.String(), GraphConfig, {
  expected: 'a mapping of graphs to their configs',
});
export type GraphConfigs = Record<string, Static<typeof GraphConfig> & Record<string, unknown>>;

/** An empty text is valid and sets nothing. A problem's path begins with `path`. */
export function readGraphConfigs(text: string, path: string): { configs: GraphConfigs; problems: Problem[] } {
  if (text.trim() === '') return { configs: {}, problems: [] };
  const wrong = firstWrong(text);
  if (wrong !== undefined)
    return { configs: {}, problems: [{ path, reason: `not valid JSON at ${textPosition(text, wrong)}` }] };
  const value: unknown = JSON.parse(text);
  if (Value.Check(Configs, value)) return { configs: value, problems: [] };
  return { configs: {}, problems: findProblems(Configs, value, path) };
}
