/** One scripted provider for all tests of a file. */
import { afterAll, afterEach } from 'bun:test';
import { classifying, type Provider, type Script, scriptedProvider } from './provider.ts';

/** After each test, it gets its `script` again and its recorded requests are cleared. Closes after the last test. */
export function sharedProvider(script: () => Script = classifying): Provider {
  const provider = scriptedProvider(script());
  afterEach(() => {
    provider.script = script();
    provider.requests.length = 0;
    provider.headers.length = 0;
    provider.aborted = 0;
  });
  afterAll(() => provider.close());
  return provider;
}
