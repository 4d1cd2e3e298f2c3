/** The finder (Ctrl K), which searches pages, workflows, conversations and runs with the keyboard. */
import { type KeyboardEvent, useId, useState } from 'react';
import { Dialog } from '../parts/dialog/dialog.tsx';
import { ErrorNote } from '../parts/states.tsx';
import { navigate } from '../routing/router.ts';
import { type Choice, useChoices } from './choices.ts';
import { nearMatch } from './near-match.ts';
import { Snippet } from './snippet.tsx';
import './search.css';

export default function Finder({ close }: { close(): void }) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const { choices, error, isLoading } = useChoices(text.trim());
  const id = useId();
  const at = Math.min(active, choices.length - 1);
  const chosen = choices[at];

  function open({ href }: Choice) {
    close();
    navigate(href);
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((at + step + choices.length) % Math.max(choices.length, 1));
    } else if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      open(chosen);
    }
  }
  return (
    <Dialog title="Search" close={close}>
      <input
        className="field"
        // In a field of type search, Escape would clear the text instead of closing the dialog.
        type="text"
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen && `${id}-${chosen.id}`}
        aria-label="Search"
        placeholder="Search pages, workflows, conversations and runs"
        maxLength={200}
        data-autofocus
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
      />
      {error && <ErrorNote error={error} />}
      <div className="choices" role="listbox" id={`${id}-list`} aria-label="Results">
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
          <div
            key={choice.id}
            id={`${id}-${choice.id}`}
            className="choice"
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onMouseMove={() => setActive(index)}
            onClick={() => open(choice)}
            ref={(item) => {
              if (index === at) item?.scrollIntoView({ block: 'nearest' });
            }}
          >
            <span className="muted small group">
              {choice.group !== choices[index - 1]?.group && choice.group}
            </span>
            <span className="cut">{choice.hit ? <Snippet {...nearMatch(choice.hit)} /> : choice.label}</span>
            <span className="muted small cut">{choice.detail}</span>
          </div>
        ))}
      </div>
      <p className="muted small" role="status">
        {choices.length === 0 && (isLoading ? 'Searching…' : 'No results. Try different words.')}
      </p>
    </Dialog>
  );
}
