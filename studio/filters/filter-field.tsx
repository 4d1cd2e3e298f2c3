/** A filter with a text field, which is applied on Enter or when the field loses the focus. */
import { type KeyboardEvent, useState } from 'react';
import { type FilterName, without } from '../data/runs/run-filter.ts';
import { changeQuery } from '../routing/router.ts';

type Kind = 'time' | 'seconds' | 'integer' | 'amount' | 'code' | 'text';

interface FilterFieldProps {
  label: string;
  kind: Kind;
  name: FilterName;
  /** The value in the address. */
  value: string | undefined;
  list?: string;
  disabled?: boolean;
}

export function FilterField({ label, kind, name, value, ...rest }: FilterFieldProps) {
  const [draft, setDraft] = useState({ of: value, text: fieldText(kind, value) });
  const text = draft.of === value ? draft.text : fieldText(kind, value);

  function apply() {
    // If the text is unchanged, keep the address, whose value may be more precise than the field.
    if (text === fieldText(kind, value)) return;
    const wanted = text.trim() === '' ? undefined : queryValue(kind, text.trim());
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

function fieldText(kind: Kind, value: string | undefined): string {
  if (value === undefined) return '';
  if (kind === 'seconds') return /^\d+$/.test(value) ? String(Number(value) / 1_000) : '';
  return kind === 'time' ? localTime(value) : value;
}

function queryValue(kind: Kind, text: string): string {
  if (kind === 'seconds') return String(Math.round(Number(text) * 1_000));
  if (kind === 'code') return text.toUpperCase();
  return kind === 'time' ? new Date(text).toISOString() : text;
}

/** The value of a datetime-local input, which is in local time and has no time zone. */
function localTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return '';
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
