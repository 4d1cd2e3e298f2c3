/** The variables of a template: those of the run, and typed replacements. */
import { type Variables, variablesOf } from '../prompts/preview/variables-form.tsx';
import type { EditedTemplate } from './edited-call.ts';

/** Unchanged variables keep their recorded values, so that a text that looks like JSON stays text. */
export function templateVariables({
  variables,
  typed,
}: Pick<EditedTemplate, 'variables' | 'typed'>): Variables {
  const { fields } = variablesOf(variables, typed);
  const samples = Object.fromEntries(Object.keys(typed).map((name) => [name, '']));
  const { values } = variablesOf(samples, typed);
  return {
    fields: fields.map((field) =>
      Object.hasOwn(typed, field.name) ? field : { ...field, error: undefined },
    ),
    values: values && { ...variables, ...values },
  };
}
