/** An editor for a list of messages, with the role and content of each. */
import { Icon } from '../parts/icon.tsx';
import type { StateMessage } from './state-fields.ts';

interface MessageFieldsProps {
  name: string;
  messages: StateMessage[];
  change(messages: StateMessage[]): void;
}

const ROLES = ['user', 'assistant', 'system'];

export function MessageFields({ name, messages, change }: MessageFieldsProps) {
  return (
    <fieldset className="state-messages stack">
      <legend>
        <code>{name}</code>
      </legend>
      {messages.map((message, index) => (
        <MessageField
          // biome-ignore lint/suspicious/noArrayIndexKey: a message may have no id
          key={index}
          label={`${name} ${index + 1}`}
          message={message}
          change={(changed) => change(messages.with(index, changed))}
          remove={() => change(messages.toSpliced(index, 1))}
        />
      ))}
      <button
        type="button"
        className="button small"
        onClick={() => change([...messages, { role: 'user', content: '' }])}
      >
        <Icon name="plus" size={12} />
        Add message
      </button>
    </fieldset>
  );
}

interface MessageFieldProps {
  label: string;
  message: StateMessage;
  change(message: StateMessage): void;
  remove(): void;
}

function MessageField({ label, message, change, remove }: MessageFieldProps) {
  const { role, content } = message;
  return (
    <div className="state-message">
      <div className="row">
        <select
          className="field"
          aria-label={`Role of ${label}`}
          value={role}
          onChange={(event) => change({ ...message, role: event.target.value })}
        >
          {(ROLES.includes(role) ? ROLES : [role]).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <span className="grow muted small cut">{callsOf(message)}</span>
        <button
          type="button"
          className="button small icon quiet"
          aria-label={`Remove ${label}`}
          onClick={remove}
        >
          <Icon name="close" size={12} />
        </button>
      </div>
      {typeof content === 'string' ? (
        <textarea
          className="field growing"
          rows={1}
          dir="auto"
          aria-label={`Content of ${label}`}
          value={content}
          onChange={(event) => change({ ...message, content: event.target.value })}
        />
      ) : (
        <p className="muted small">This message has several parts. Edit it as JSON.</p>
      )}
    </div>
  );
}

function callsOf({ tool_calls, name }: StateMessage): string {
  const calls = Array.isArray(tool_calls) ? tool_calls.map((call) => String(call?.name)) : [];
  if (calls.length > 0) return `calls ${calls.join(', ')}`;
  return typeof name === 'string' ? name : '';
}
