/** Lists namespaces by LangGraph's conditions, in which `*` matches any label. */
import type { ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint';
import { checkRange } from './bounds.ts';

/** Without duplicates, sorted by labels. */
export function listedNamespaces(all: string[][], operation: ListNamespacesOperation): string[][] {
  const { matchConditions = [], maxDepth, limit = Number.POSITIVE_INFINITY, offset = 0 } = operation;
  checkRange(limit, offset);
  const found = new Map<string, string[]>();
  for (const namespace of all) {
    if (!matchConditions.every((condition) => isMatch(namespace, condition))) continue;
    const cut = namespace.slice(0, maxDepth);
    // Joined by NUL, which sorts before every other character, names sort by labels.
    found.set(cut.join('\0'), cut);
  }
  const names = [...found.keys()].sort().slice(offset, offset + limit);
  return names.flatMap((name) => [found.get(name) ?? []]);
}

function isMatch(namespace: string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === '*' || label === namespace[start + index]);
}
