/** config.yml and profiles.yml of a new project, with every setting of the service and its workflows. */
import { type TObject, Type } from '@sinclair/typebox';
import { WorkflowSettings } from '../../../graphs/authoring/workflow-settings.ts';
import type { Discovered } from '../../../graphs/discovery/discover.ts';
import { Settings } from '../../../settings/schema.ts';
import { settingsYaml } from './settings-yaml.ts';

const CONFIG = `# Settings of this service. Commented lines show the defaults. To change a setting, remove "# " from its line and from the line
# of its block: the # and exactly one space, so that the indentation stays correct.
# Secrets belong in .env, the environment or profiles.yml. \`bun run skein validate\` shows the effective settings and their sources.

`;

const PROFILES = `# Profiles: SERVICE_PROFILE, --profile or \`profile\` in config.yml picks one, else the first counts. The blocks of a profile
# are merged over those of config.yml. Values may come from the environment: \${VARIABLE} or \${VARIABLE:default}.

- name: development
#   cloud_sql:
#     database_name: skip # The SQL workflow asks the local database, even if config.yml names a server.

- name: production
`;

export function configYml(workflows: readonly Discovered[]): string {
  return CONFIG + settingsYaml(withWorkflows(workflows), { 'web_configuration.port': 8080 });
}

/** All settings as comments below the last profile, without `profile` itself. */
export function profilesYml(workflows: readonly Discovered[]): string {
  const { profile: _, ...blocks } = withWorkflows(workflows).properties;
  const lines = settingsYaml(Type.Object(blocks), {}).replaceAll(/^# /gm, '#   ');
  return PROFILES + lines;
}

/** The workflows by name, each with its own settings. */
function withWorkflows(workflows: readonly Discovered[]): TObject {
  const named = workflows.flatMap(({ name, definition, adopted }) =>
    definition || adopted
      ? [[name, Type.Composite([definition?.options ?? Type.Object({}), WorkflowSettings])] as const]
      : [],
  );
  const { description } = Settings.properties.workflows;
  return Type.Object({
    ...Settings.properties,
    workflows: Type.Object(Object.fromEntries(named), { description }),
  });
}
