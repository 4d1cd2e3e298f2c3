/** The nodes of the graph that are expanded. */
import { useCallback, useMemo, useState } from 'react';
import { nodesAround } from '../data/runs/node-id.ts';

export interface Opened {
  opened: ReadonlySet<string>;
  toggle(node: string): void;
  /** Expands all parents of the node. */
  reveal(node: string): void;
}

/** `openable` are the nodes that can be expanded. The parents of `linked` are expanded at first. */
export function useOpened(
  openable: ReadonlySet<string>,
  isOpenAtFirst: boolean,
  linked: string | undefined,
): Opened {
  const [chosen, choose] = useState<ReadonlyMap<string, boolean>>(
    () => new Map(nodesAround(linked ?? '').map((node) => [node, true])),
  );
  const opened = useMemo(
    () => new Set([...openable].filter((node) => chosen.get(node) ?? isOpenAtFirst)),
    [openable, chosen, isOpenAtFirst],
  );
  const toggle = useCallback(
    (node: string) => choose((before) => new Map(before).set(node, !(before.get(node) ?? isOpenAtFirst))),
    [isOpenAtFirst],
  );
  const reveal = useCallback((node: string) => {
    choose((before) => new Map([...before, ...nodesAround(node).map((one) => [one, true] as const)]));
  }, []);
  return { opened, toggle, reveal };
}
