/** The tools of the call. Tools that the model calls aren't executed. */
import { useRef } from 'react';
import { flushSync } from 'react-dom';
import { Icon } from '../parts/icon.tsx';
import { JsonField } from '../parts/json/json-field.tsx';
import { type EditedCall, type EditedTool, newId } from './edited-call.ts';
import type { Problems } from './replay-request.ts';

interface ToolListProps {
  edited: EditedCall;
  problems: Problems;
  change(changes: Partial<EditedCall>): void;
}

const NO_ARGUMENTS = '{\n  "type": "object",\n  "properties": {}\n}';

export function ToolList({ edited: { tools, toolChoice }, problems, change }: ToolListProps) {
  const adding = useRef<HTMLButtonElement>(null);
  const set = (index: number, changes: Partial<EditedTool>) =>
    change({ tools: tools.map((tool, at) => (at === index ? { ...tool, ...changes } : tool)) });

  function remove(index: number) {
    flushSync(() => change({ tools: tools.toSpliced(index, 1) }));
    adding.current?.focus();
  }
  return (
    <section className="stack" aria-label="Tools">
      <h2>Tools</h2>
      {tools.length > 0 && (
        <ul className="stack">
          {tools.map(({ id, name, description, schema }, index) => (
            <li key={id} className="panel playground-message">
              <div className="row">
                <input
                  className="field mono"
                  aria-label={`Name of tool ${index + 1}`}
                  required
                  pattern="[A-Za-z0-9_\-]{1,64}"
                  title="Up to 64 letters, digits, hyphens or underscores"
                  value={name}
                  onChange={(event) => set(index, { name: event.target.value })}
                />
                <button
                  type="button"
                  className="button small icon quiet"
                  aria-label={`Remove tool ${index + 1}`}
                  onClick={() => remove(index)}
                >
                  <Icon name="trash" size={14} />
                </button>
              </div>
              <textarea
                className="field growing"
                aria-label={`Description of tool ${index + 1}`}
                placeholder="Description"
                rows={1}
                value={description}
                onChange={(event) => set(index, { description: event.target.value })}
              />
              <JsonField
                label={`JSON Schema of tool ${index + 1}`}
                rows={3}
                text={schema}
                change={(typed) => set(index, { schema: typed })}
                problem={problems[`tool:${id}`]}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="row wrap">
        <button
          ref={adding}
          type="button"
          className="button small"
          onClick={() =>
            change({ tools: [...tools, { id: newId(), name: '', description: '', schema: NO_ARGUMENTS }] })
          }
        >
          <Icon name="plus" size={14} />
          Add tool
        </button>
        {tools.length > 0 && (
          <label className="row small">
            Tool choice
            <select
              className="field"
              value={toolChoice}
              onChange={(event) => change({ toolChoice: event.target.value })}
            >
              <option value="">Provider default</option>
              <option value="auto">Auto</option>
              <option value="required">Required</option>
              <option value="none">None</option>
              {tools.map(({ id, name }) => (
                <option key={id} value={`tool:${name}`}>
                  Only {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
    </section>
  );
}
