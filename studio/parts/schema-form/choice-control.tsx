/** A drop-down for enum values of any type. */
import { choiceAt } from './form-value.ts';

/** The attributes that a control gets from its field. */
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

const MAX_LABEL = 80;

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
      <option value="">{required ? 'Select…' : 'Not set'}</option>
      {all.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: options don't move
        <option key={index} value={index}>
          {labelOf(one)}
        </option>
      ))}
    </select>
  );
}

function labelOf(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL)}…` : text;
}
