/** Starts a provider and a service before the tests of a file or of one `describe`, and closes them afterwards. */
import { afterAll, beforeAll } from 'bun:test';
import type { Provider } from '../../support/provider.ts';
import { providerEnv, type TestService, testService } from '../../support/service.ts';
import { sharedProvider } from '../../support/shared-provider.ts';
import { echoing } from './calls.ts';

export type RunningService = Pick<TestService, 'chat' | 'fetch' | 'url' | 'folder'>;

/** Echoes again after each test. */
export function runningProvider(): Provider {
  return sharedProvider(echoing);
}

/** `config` is the text of config.yml, `graphs` are project workflows, `env` is added to the environment. */
export function runningService(
  provider: Provider,
  config = '',
  graphs: Record<string, string> = {},
  env: Record<string, string> = {},
): RunningService {
  let service: TestService;
  beforeAll(async () => {
    service = await testService({ env: { ...providerEnv(provider.url), ...env }, config, graphs });
  });
  afterAll(() => service.close());
  return {
    chat: (...args) => service.chat(...args),
    fetch: (...args) => service.fetch(...args),
    get url() {
      return service.url;
    },
    get folder() {
      return service.folder;
    },
  };
}
