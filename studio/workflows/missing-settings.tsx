/** What a workflow lacks, and where one says it. */
import type { Workflow } from '../data/workflows.ts';
import { CopyButton } from '../parts/copy-button.tsx';

export function MissingSettings({ entry: { missing_config } }: { entry: Workflow }) {
  if (missing_config.length === 0) return null;
  return (
    <section className="note waiting" aria-label="Missing settings">
      <p>
        <strong>It cannot run yet: settings are missing or wrong.</strong>
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
      <p>Then start the service again. A chat with it says in its error what was expected.</p>
    </section>
  );
}

/** Why a workflow with complete settings cannot run; for a broken one the description says it. */
export function NotReady({ entry }: { entry: Workflow }) {
  const { configured, description, ready_detail } = entry;
  if (!configured || !ready_detail || description.includes(ready_detail)) return null;
  return (
    <section className="note bad" aria-label="Not ready">
      <p>
        <strong>It cannot run now.</strong> {ready_detail}
      </p>
    </section>
  );
}

/** `cloud_sql.server_name` is SERVICE_CLOUD_SQL__SERVER_NAME; undefined where no shell takes the name. */
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
