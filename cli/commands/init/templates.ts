/** The templates of new projects: each is a folder of `cli/template`. */
import { join } from 'node:path';
import { configurationError } from '../../../state/errors.ts';
import { dependencyIn } from './skein-source.ts';

export const TEMPLATES = ['bike-insights', 'react-agent', 'supervisor', 'empty'] as const;
export type Template = (typeof TEMPLATES)[number];

/** Throws CONFIGURATION_ERROR for an unknown template. */
export function templateNamed(name: string): Template {
  const template = TEMPLATES.find((one) => one === name);
  if (!template) throw configurationError('--template', `expected one of ${TEMPLATES.join(', ')}`);
  return template;
}

/** The default: an existing project keeps its own workflows. */
export function usualTemplate(folder: string): Template {
  return dependencyIn(join(folder, 'package.json')) === undefined ? TEMPLATES[0] : 'empty';
}
