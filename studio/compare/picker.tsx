/** A field to select a run or a thread: one of the latest, or any other by its id. */
import { useId, useState } from 'react';
import { listRuns, runTitle } from '../data/runs/runs.ts';
import { listThreads } from '../data/threads/threads.ts';
import { useResource } from '../service/resources.ts';

interface PickerProps {
  kind: 'run' | 'thread';
  label: string;
  value: string;
  choose(id: string): void;
}

export function Picker({ kind, label, value, choose }: PickerProps) {
  const list = useId();
  const [typed, setTyped] = useState<string>();
  const { data } = useResource(`pick:${kind}`, () => (kind === 'run' ? newRuns() : newThreads()));
  function done(id: string) {
    setTyped(undefined);
    choose(id.trim());
  }
  return (
    <label className="labelled">
      {label}
      <input
        className="field mono"
        list={list}
        placeholder={kind === 'run' ? 'Run id' : 'Thread id'}
        value={typed ?? value}
        onChange={({ target }) =>
          data?.some(({ id }) => id === target.value) ? done(target.value) : setTyped(target.value)
        }
        onBlur={() => typed !== undefined && done(typed)}
        onKeyDown={(event) => event.key === 'Enter' && done(typed ?? value)}
      />
      <datalist id={list}>
        {data?.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </datalist>
    </label>
  );
}

async function newRuns() {
  const { runs } = await listRuns({});
  return runs.map(({ run_id, title, status }) => ({
    id: run_id,
    label: `${status}: ${runTitle({ title })}`,
  }));
}

async function newThreads() {
  const { threads } = await listThreads({});
  return threads.map(({ thread_id, title }) => ({ id: thread_id, label: title }));
}
