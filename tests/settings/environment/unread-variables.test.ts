/** Variables that look like settings but are unknown: each causes a warning with the nearest known name. */
import { describe, expect, test } from 'bun:test';
import { project } from '../project.ts';

const warningsOf = (env: Record<string, string>) => project().load({ env }).warnings;

describe('a variable that is not read', () => {
  test.each([
    ['SERVICE_PROFLE_PATH', 'did you mean SERVICE_PROFILE_PATH?'],
    ['SERVICE_WEB_PORT', 'did you mean WEB_PORT?'],
    ['SERVICE_CHAT_HISTORY_DATABASE_TYPE', 'did you mean SERVICE_CHAT_HISTORY__DATABASE_TYPE?'],
    ['SERVICE_LOG_LEVEL', 'did you mean SERVICE_TELEMETRY__LOG_LEVEL?'],
    ['SERVICE_NONSENSE', 'settings are named SERVICE_<BLOCK>__<FIELD>'],
    ['SERVICE_LLM_PROVIDER_API_KEY_FILE', 'did you mean LLM_PROVIDER_API_KEY_FILE?'],
    ['LLM_PROVIDER_KEY', 'did you mean LLM_PROVIDER_API_KEY?'],
    ['LLM_PROVIDER_APIKEY_FILE', 'did you mean LLM_PROVIDER_API_KEY_FILE?'],
  ])('%s', (name, hint) => {
    expect(warningsOf({ [name]: 'secret' })).toEqual([`environment ${name} is ignored; ${hint}`]);
  });

  test('that Kubernetes sets for a Service causes no warning', () => {
    const env = {
      ...{ SERVICE_HOST: '10.0.0.1', SERVICE_PORT: 'tcp://10.0.0.1:80' },
      ...{ SERVICE_SERVICE_HOST: '10.0.0.1', SERVICE_SERVICE_PORT_HTTP: '80' },
      ...{ SERVICE_A_PORT: 'tcp://10.0.0.1:80', SERVICE_A_PORT_80_TCP_ADDR: '10.0.0.1' },
    };
    expect(warningsOf(env)).toEqual([]);
  });

  test('that a file references causes no warning', () => {
    const named = project({ 'config.yml': `memory: {window_messages: "\${SERVICE_WINDOW}"}` });
    expect(named.load({ env: { SERVICE_WINDOW: '5' } }).warnings).toEqual([]);
  });
});
