/** The settings that a workflow lacks, and how to set them. */
import type { Workflow } from '../data/workflows.ts';
import { CopyButton } from '../parts/copy-button.tsx';

export function MissingSettings({ entry: { missing_config } }: { entry: Workflow }) {
  if (missing_config.length === 0) return null;
  return (
    <section className="note waiting" aria-label="Missing settings">
      <p>
        <strong>This workflow can't run yet: settings are missing or invalid.</strong>
      </p>
      <ul className="stack">
        {missing_config.map((path) => (
          <li key={path}>
            <p>
              Set <code>{path}</code> in <code>config.yml</code> or in your profile in{' '}
              <code>profiles.yml</code>
              {variableOf(path) && (
                <>
                  , or the environment variable <code>{variableOf(path)}</code>
                </>
              )}
              .
            </p>
            <CopyButton text={yamlOf(path)} label="Copy as YAML" />
          </li>
        ))}
      </ul>
      <p>
        Then restart the service. If you chat with the workflow, the error says which values are expected.
      </p>
    </section>
  );
}

/** Why a configured workflow can't run. The description of a broken workflow already contains the reason. */
export function NotReady({ entry }: { entry: Workflow }) {
  const { configured, description, ready_detail } = entry;
  if (!configured || !ready_detail || description.includes(ready_detail)) return null;
  return (
    <section className="note bad" aria-label="Not ready">
      <p>
        <strong>This workflow can't run now.</strong> {ready_detail}
      </p>
    </section>
  );
}

/** `cloud_sql.server_name` becomes SERVICE_CLOUD_SQL__SERVER_NAME; undefined if that isn't a valid variable name. */
function variableOf(path: string): string | undefined {
  const name = `SERVICE_${partsOf(path).join('__').toUpperCase()}`;
  return /^\w+$/.test(name) ? name : undefined;
}

function yamlOf(path: string): string {
  return `${partsOf(path)
    .map((part, depth) => `${'  '.repeat(depth)}${part}:`)
    .join('\n')} \n`;
}

function partsOf(path: string): string[] {
  return path.split(/[.[\]]+/).filter(Boolean);
}
