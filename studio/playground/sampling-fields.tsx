/** The model and its sampling parameters. Empty fields use the model's settings or the provider's defaults. */
import { JsonField } from '../parts/json/json-field.tsx';
import { type EditedCall, SAMPLING, type SamplingName } from './edited-call.ts';
import type { Problems } from './replay-request.ts';

interface SamplingFieldsProps {
  edited: EditedCall;
  models: string[];
  /** The model that answered the recorded call. */
  recorded: string;
  problems: Problems;
  change(changes: Partial<EditedCall>): void;
}

export function SamplingFields({ edited, models, recorded, problems, change }: SamplingFieldsProps) {
  const { model, sampling, stop, format } = edited;
  return (
    <section className="stack" aria-label="Model">
      <h2>Model</h2>
      <div className="playground-fields">
        <label className="labelled">
          Name
          <select className="field" value={model} onChange={(event) => change({ model: event.target.value })}>
            {models.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {(Object.keys(SAMPLING) as SamplingName[]).map((name) => {
          const { label, ...bounds } = SAMPLING[name];
          return (
            <label key={name} className="labelled">
              {label}
              <input
                className="field"
                type="number"
                {...bounds}
                value={sampling[name] ?? ''}
                onChange={(event) => change({ sampling: { ...sampling, [name]: event.target.value } })}
              />
            </label>
          );
        })}
      </div>
      {!models.includes(recorded) && (
        <p className="muted small">
          The recorded call used <code>{recorded}</code>, which isn't in the service's settings.
        </p>
      )}
      <details open={stop !== '' || format !== ''}>
        <summary className="small muted">Stop sequences and response format</summary>
        <div className="stack">
          <label className="labelled">
            Stop sequences, one per line
            <textarea
              className="field mono growing"
              rows={1}
              value={stop}
              onChange={(event) => change({ stop: event.target.value })}
            />
          </label>
          <JsonField
            label="Response format"
            hint={<span className="muted small">In the format of the OpenAI API; empty for text</span>}
            rows={2}
            text={format}
            change={(typed) => change({ format: typed })}
            problem={problems.format}
          />
        </div>
      </details>
    </section>
  );
}
