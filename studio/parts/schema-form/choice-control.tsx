/** A choice among values of any kind. */
import { choiceAt } from './form-value.ts';

/** What a control is told by its field. */
export interface ControlProps {
  id: string;
  'aria-required': boolean;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

interface ChoiceControlProps {
  values: unknown[];
  nullable: boolean;
  required: boolean;
  value: unknown;
  change(value: unknown): void;
  control: ControlProps;
}

const LONGEST = 80;

export function ChoiceControl({ values, nullable, required, value, change, control }: ChoiceControlProps) {
  const all = nullable ? [...values, null] : values;
  const at = value === undefined ? -1 : choiceAt(all, value);
  return (
    <select
      {...control}
      className="field"
      value={at < 0 ? '' : String(at)}
      onChange={(event) => change(event.target.value === '' ? undefined : all[Number(event.target.value)])}
    >
      <option value="">{required ? 'Choose' : 'not given'}</option>
      {all.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: choices keep their places
        <option key={index} value={index}>
          {wordsOf(one)}
        </option>
      ))}
    </select>
  );
}

function wordsOf(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
