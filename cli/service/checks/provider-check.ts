/** Checks the providers of the configured models once, in the background, after the start. */
import type { Logger } from 'pino';
import type { LoadedSettings } from '../../../settings/load.ts';
import type { Models } from '../../../tools/models/models.ts';
import { modelCheck } from './model-checks.ts';

export interface ProviderCheck {
  models: Models;
  log: Logger;
  /** Problems are added here. */
  warnings: string[];
}

export async function checkProviders(
  { settings }: LoadedSettings,
  { models, log, warnings }: ProviderCheck,
): Promise<void> {
  const checks = settings.models.map(async (model, at) => {
    const { name, state, found, todo } = await modelCheck(model, `models[${at}]`);
    if (state === 'ok') return;
    const sentence = `${name}: ${[found, todo].filter((part) => part !== undefined).join('; ')}`;
    warnings.push(sentence);
    log.warn(sentence);
    if (state === 'failed') models.report(model.model, found);
  });
  await Promise.all(checks);
}
