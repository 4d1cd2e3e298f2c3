/** The variables that a template is rendered with: those of the run, and what was typed in their place. */
import { type Variables, variablesOf } from '../prompts/variables-form.tsx';
import type { EditedTemplate } from './edited-call.ts';

/** What nobody has typed keeps its recorded value: a text that looks like JSON stays a text. */
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
