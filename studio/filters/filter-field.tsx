/** A filter that is typed: it is applied by Enter, or when the field is left. */
import { type KeyboardEvent, useState } from 'react';
import { type FilterName, without } from '../data/run-filter.ts';
import { changeQuery } from '../router.ts';

type Kind = 'time' | 'seconds' | 'integer' | 'amount' | 'code' | 'text';

interface FilterFieldProps {
  label: string;
  kind: Kind;
  name: FilterName;
  /** As the address has it. */
  value: string | undefined;
  list?: string;
  disabled?: boolean;
}

export function FilterField({ label, kind, name, value, ...rest }: FilterFieldProps) {
  const [draft, setDraft] = useState({ of: value, text: shownOf(kind, value) });
  const text = draft.of === value ? draft.text : shownOf(kind, value);

  function apply() {
    // The field shows less than the address may have, as of seconds.
    if (text === shownOf(kind, value)) return;
    const wanted = text.trim() === '' ? undefined : storedOf(kind, text.trim());
    changeQuery(wanted === undefined ? without(name) : { [name]: wanted });
  }
  function key(event: KeyboardEvent) {
    if (event.key === 'Enter') apply();
  }
  return (
    <label className="labelled">
      {label}
      <input
        className="field"
        {...INPUTS[kind]}
        value={text}
        onChange={(event) => setDraft({ of: value, text: event.target.value })}
        onBlur={apply}
        onKeyDown={key}
        {...rest}
      />
    </label>
  );
}

const INPUTS: Record<Kind, { type: string; min?: number; step?: string; maxLength?: number }> = {
  time: { type: 'datetime-local' },
  seconds: { type: 'number', min: 0, step: 'any' },
  integer: { type: 'number', min: 0, step: '1' },
  amount: { type: 'number', min: 0, step: 'any' },
  code: { type: 'text', maxLength: 60 },
  text: { type: 'text', maxLength: 300 },
};

function shownOf(kind: Kind, value: string | undefined): string {
  if (value === undefined) return '';
  if (kind === 'seconds') return /^\d+$/.test(value) ? String(Number(value) / 1_000) : '';
  return kind === 'time' ? localTime(value) : value;
}

function storedOf(kind: Kind, text: string): string {
  if (kind === 'seconds') return String(Math.round(Number(text) * 1_000));
  if (kind === 'code') return text.toUpperCase();
  return kind === 'time' ? new Date(text).toISOString() : text;
}

/** As a field for a day and a time takes it, which knows no zones. */
function localTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
