/** The questions for a new project: its name, its template, its language model, and whether callers authenticate. */
import { configurationError } from '../../../state/errors.ts';
import type { Keyboard } from '../../terminal/keyboard.ts';
import { packageName } from './package-json.ts';
import { TEMPLATES, type Template } from './templates.ts';

export interface Answers {
  name: string;
  template: Template;
  /** Lines of the project's .env; empty if nothing is set. */
  env: readonly string[];
  /** Whether callers must authenticate. */
  asksCallers: boolean;
}

/** The default answers. */
export type Usual = Pick<Answers, 'name' | 'template'>;

/** Without a terminal: the built-in model, and no authentication. */
export function silentAnswers(usual: Usual): Answers {
  return { ...usual, env: [], asksCallers: false };
}

/** Asks for the template unless one is `named`. Throws CONFIGURATION_ERROR if the person ends the questions. */
export async function promptedAnswers(
  usual: Usual,
  named: Template | undefined,
  keyboard: Keyboard,
): Promise<Answers> {
  const answered = (line: string | undefined): string => {
    if (line === undefined)
      throw configurationError('arguments', 'the questions were not answered; --yes skips them');
    return line.trim();
  };
  const ask: Ask = {
    plain: async (question, usual) => answered(await keyboard.ask(`${question} [${usual}] `)) || usual,
    secret: async (question) => answered(await keyboard.askSecret(`${question}: `)),
  };
  const name = packageName(await ask.plain('Name', usual.name));
  const template = named ?? (await templateOf(ask, usual.template));
  const provider = await providerOf(ask);
  const model = provider === BUILT_IN ? [] : await modelLines(provider, ask);
  const asksCallers = await isToAsk(ask);
  const callers = asksCallers ? await callerLines(ask) : [];
  return { name, template, env: [...model, ...callers], asksCallers };
}

interface Ask {
  plain(question: string, usual: string): Promise<string>;
  secret(question: string): Promise<string>;
}

async function templateOf(ask: Ask, usual: Template): Promise<Template> {
  const what = `${TEMPLATES.slice(0, -1).join(', ')} or ${TEMPLATES.at(-1)}`;
  for (let question = `Template: ${what}`; ; question = `Expected ${what}`) {
    const reply = (await ask.plain(question, usual)).toLowerCase();
    const known = TEMPLATES.find((name) => name === reply);
    if (known) return known;
  }
}

const BUILT_IN = 'built-in';
const OPENAI = 'openai';

async function providerOf(ask: Ask): Promise<string> {
  const what = `${BUILT_IN}, ${OPENAI}, or the URL of an OpenAI-compatible endpoint`;
  for (let question = `Language model: ${what}`; ; question = `Expected ${what}`) {
    const reply = await ask.plain(question, BUILT_IN);
    const known = [BUILT_IN, OPENAI].find((name) => name === reply.toLowerCase());
    if (known) return known;
    if (/^https?:\/\/\S+$/.test(reply)) return reply;
  }
}

/** Asks again unless the answer is yes or no: a typo must not leave a service open. */
async function isToAsk(ask: Ask): Promise<boolean> {
  for (let question = 'Require authentication? y or n'; ; question = 'Expected y or n') {
    const reply = await ask.plain(question, 'n');
    if (/^(y(es)?|no?)$/i.test(reply)) return /^y/i.test(reply);
  }
}

async function modelLines(provider: string, ask: Ask): Promise<string[]> {
  const isOpenAi = provider === OPENAI;
  const model = await ask.plain('Model', isOpenAi ? 'gpt-4o-mini' : 'llama3.1');
  const key = await ask.secret(isOpenAi ? 'API key' : 'API key, empty for none');
  return [
    ...(isOpenAi ? [] : [line('LLM_PROVIDER_BASE_URL', provider)]),
    ...(key === '' ? [] : [line('LLM_PROVIDER_API_KEY', key)]),
    line('LLM_PROVIDER_MODEL', model),
  ];
}

async function callerLines(ask: Ask): Promise<string[]> {
  const username = await ask.plain('User name', 'admin');
  const password = (await ask.secret('Password, empty for a random one')) || random(18);
  const block = 'SERVICE_WEB_CONFIGURATION__AUTHENTICATION';
  return [
    line(`${block}__ENABLE`, 'true'),
    line(`${block}__ENABLE_GLOBAL_MIDDLEWARE`, 'true'),
    line(`${block}__USERNAME`, username),
    line(`${block}__PASSWORD`, password),
    line(`${block}__JWT_SECRET_KEY`, random(48)),
    // For compose.yml: authentication may be configured elsewhere.
    line('SKEIN_BIND', '0.0.0.0'),
  ];
}

function random(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64url');
}

/** In single quotes, no character of the value is special. */
function line(name: string, value: string): string {
  if (/['\r\n]/.test(value))
    throw configurationError(name, 'must not contain a single quote or a line break');
  return `${name}='${value}'`;
}
