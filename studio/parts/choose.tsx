/** One of several choices, or all. */

interface ChooseProps {
  label: string;
  /** What is shown where nothing is chosen. */
  all: string;
  options: Record<string, string>;
  value: string | null | undefined;
  choose(value: string | undefined): void;
}

export function Choose({ label, all, options, value, choose }: ChooseProps) {
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
