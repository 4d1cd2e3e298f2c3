/** Selects the fields of a state that a client requests. */
import { type Static, Type } from '@sinclair/typebox';
import { ThreadState } from './thread-state.ts';

export const SelectedState = Type.Partial(ThreadState, { title: 'ThreadState, whole or in part' });
export type SelectedState = Static<typeof SelectedState>;

export const Select = Type.Optional(
  Type.Union([Type.Array(Type.String(), { maxItems: 100 }), Type.Null()], {
    description:
      'Fields of the state to return, with `values.<channel>` for one channel; all fields if missing',
  }),
);

const CHANNEL_PREFIX = 'values.';

/** Returns the whole state if `select` is missing or null. */
export function selectedState(state: ThreadState, select: Static<typeof Select> | undefined): SelectedState {
  if (select === undefined || select === null) return state;
  const channels = select
    .filter((name) => name.startsWith(CHANNEL_PREFIX))
    .map((name) => name.slice(CHANNEL_PREFIX.length));
  const fields = Object.entries(state).filter(([name]) => select.includes(name));
  const values = Object.entries(state.values ?? {}).filter(([name]) => channels.includes(name));
  return {
    ...(channels.length > 0 && { values: Object.fromEntries(values) }),
    ...(Object.fromEntries(fields) as SelectedState),
  };
}
