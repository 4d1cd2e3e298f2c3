/** Asks a person, field by field, for the input of a workflow that takes no prompt. */
import type { JsonSchema } from '../../../../graphs/adoption/schemas/graph-schemas.ts';
import { shown } from '../../../terminal/style.ts';
import type { Terminal } from '../turn/guarded-turn.ts';
import { type Field, fieldsOf } from './input-fields.ts';

/** A command ends the questions. */
export type Given = { input: Record<string, unknown> } | { command: string };

/** Undefined if the person ends the input or leaves every field empty. */
export async function askInput(
  schema: JsonSchema,
  terminal: Terminal,
  isCommand: (line: string) => boolean,
): Promise<Given | undefined> {
  const input: Record<string, unknown> = {};
  for (const [at, field] of fieldsOf(schema).entries()) {
    const given = await askField(field, terminal, { isCommand, mayEnd: at === 0 });
    if (given === undefined) return undefined;
    if ('command' in given) return given;
    if ('value' in given) input[field.name] = given.value;
  }
  return Object.keys(input).length === 0 ? undefined : { input };
}

interface Asking {
  isCommand(line: string): boolean;
  /** Asks again until the value is valid. An empty line for a required field ends the questions. */
  mayEnd: boolean;
}

type Answer = { value: unknown } | { command: string } | { skipped: true };

async function askField(
  field: Field,
  { keyboard, screen }: Terminal,
  { isCommand, mayEnd }: Asking,
): Promise<Answer | undefined> {
  const { write, style } = screen;
  if (field.description !== undefined) write(style.dim(`${shown(field.description)}\n`));
  for (;;) {
    const words = (await keyboard.ask(`${shown(field.name)} (${shown(field.says)})> `))?.trim();
    if (words === undefined) return undefined;
    if (isCommand(words)) return { command: words };
    if (words === '' && !field.isRequired) return { skipped: true };
    if (words === '' && mayEnd) return undefined;
    try {
      if (words !== '') return { value: field.read(words) };
      write(style.bad(`${shown(field.name)} is required\n`));
    } catch (error) {
      write(style.bad(`${shown((error as Error).message)}\n`));
    }
  }
}
