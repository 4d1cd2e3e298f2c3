/** A drop-down with a set of options and one for all of them. */

interface SelectProps {
  label: string;
  /** The label of the option for all of them. */
  all: string;
  options: Record<string, string>;
  value: string | null | undefined;
  choose(value: string | undefined): void;
}

export function Select({ label, all, options, value, choose }: SelectProps) {
  return (
    <select
      className="field"
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => choose(event.target.value || undefined)}
    >
      <option value="">{all}</option>
      {Object.entries(options).map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}
