/** Makes the rows of channel values. The elements of long lists are rows of their own. */
import type { ChannelVersions } from '@langchain/langgraph-checkpoint';
import { encodeValue, type NumberedList } from '../../driver/checkpoints/list-elements.ts';
import { storable } from '../../driver/checkpoints/storable.ts';
import type { Database } from '../database/database.ts';
import type { RunWrites, ValueInsert } from '../runs/writes.ts';
import { ElementNumbers } from './element-numbers.ts';

type Rows = Required<Pick<RunWrites, 'values' | 'elements'>>;

export interface ValueRows {
  /** The rows of the values at `versions`. Empty channels are left out. */
  rowsOf(
    thread: string,
    ns: string,
    values: Record<string, unknown>,
    versions: ChannelVersions,
  ): Promise<Rows>;
  /** Remembers lists that were read, so that the next versions of them can be compared. */
  remember(thread: string, ns: string, lists: Map<string, NumberedList>): void;
}

/** `isOfRun`: without a run, other processes may write at any time, so nothing is remembered. */
export function valueRows(database: Database, isOfRun: boolean): ValueRows {
  const elementNumbers = new Map<string, ElementNumbers>();

  function numbersOf(thread: string): ElementNumbers {
    const known = elementNumbers.get(thread);
    if (known) return known;
    const numbers = new ElementNumbers(database, thread, isOfRun);
    if (isOfRun) elementNumbers.set(thread, numbers);
    return numbers;
  }

  return {
    async rowsOf(thread, ns, values, versions) {
      const rows: Rows = { values: [], elements: [] };
      for (const [channel, version] of Object.entries(versions)) {
        if (!Object.hasOwn(values, channel)) continue;
        const { text, elements } = storable(channel, values[channel], (value) => encodeValue(channel, value));
        const value: ValueInsert = { ns, channel, version: String(version), value: text, elements: null };
        if (elements) {
          const { added, ranges } = await numbersOf(thread).assign(ns, channel, elements);
          rows.elements.push(...added);
          value.elements = ranges;
        }
        rows.values.push(value);
      }
      return rows;
    },
    remember(thread, ns, lists) {
      if (isOfRun) numbersOf(thread).remember(ns, lists);
    },
  };
}
