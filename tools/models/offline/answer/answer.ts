/** The task `answer`: answers if the rules allow it, and otherwise says clearly that they don't. */

import { isQuestion, isSelfStatement } from '../language/sentence-kind.ts';
import { sentences, words } from '../language/text.ts';
import { topic } from '../language/topic.ts';
import { type ChatRequest, lastUserText, systemTexts } from '../request.ts';
import { describeResult } from '../sql/describe-result.ts';
import { earlierSummary, saidInSummary } from '../summary/summary-text.ts';
import { calculate } from './arithmetic.ts';
import { saidOfFacts } from './facts.ts';
import { recall } from './recall.ts';
import { restate } from './restate.ts';

const MAX_RESTATED = 4;

export function answer(request: ChatRequest): string {
  const message = lastUserText(request);
  const category = systemTexts(request)
    .map(categoryIn)
    .findLast((found) => found !== undefined);
  return (
    describeResult(request) ??
    saidOfFacts(request.data) ??
    recall(message, earlierSentences(request)) ??
    acknowledge(message, category) ??
    firstResult(message) ??
    greeting(message) ??
    limits(message, category)
  );
}

/**
 * What the person said before the last message: first in the summary of the messages before the window, then in the messages.
 */
function earlierSentences(request: ChatRequest): string[] {
  const last = request.messages.findLastIndex(({ role }) => role === 'user');
  const earlier = request.messages.slice(0, Math.max(0, last)).filter(({ role }) => role === 'user');
  const summaries = saidInSummary(earlierSummary(request.data)).flatMap(({ text }) => sentences(text));
  return [...summaries, ...earlier.flatMap(({ text }) => sentences(text))];
}

/** Repeats what the person said about themselves, and answers a question in the same message. */
function acknowledge(message: string, category: string | undefined): string | undefined {
  const all = sentences(message);
  const statements = all.filter(isSelfStatement).slice(0, MAX_RESTATED);
  if (statements.length === 0) return undefined;
  const noted = `Noted: ${statements.map(restate).join('; ')}. It will be remembered in this thread.`.replace(
    /([.!?…]")\./,
    '$1',
  );
  const isMore = all.some(isQuestion) || (category !== undefined && category !== 'other');
  return isMore ? `${noted} ${firstResult(message) ?? limits(message, category)}` : noted;
}

function firstResult(message: string): string | undefined {
  return [message, ...sentences(message)].map(calculate).find((result) => result !== undefined);
}

function greeting(message: string): string | undefined {
  const said = words(message);
  if (said.length === 0 || said.length > 6) return undefined;
  const text = said.join(' ');
  if (/^(?:thanks|thank you|thx|cheers|many thanks)\b/.test(text)) return "You're welcome.";
  if (/^(?:ok |okay )?(?:bye|goodbye|see you|good night|farewell)\b/.test(text)) return 'Goodbye.';
  const isGreeting =
    /^(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day))\b(?: (?:hi|hello|there|all|everyone|team|again|skein|how are you|how are you today))*$/;
  return isGreeting.test(text) ? 'Hello! How can I help you?' : undefined;
}

/** Says what the message is about, and that the offline model cannot answer it. */
function limits(message: string, category: string | undefined): string {
  const about = topic(message);
  const kind = category && category !== 'other' ? kindOf(category) : undefined;
  const subject = about === 'general' ? '' : ` about "${about}"`;
  const seen = kind
    ? `This reads as ${kind}${subject}.`
    : subject
      ? `Your message is${subject}.`
      : 'I find no topic in your message.';
  return (
    `${seen} I am Skein's built-in offline model, which cannot answer this in its own words; ` +
    'set LLM_PROVIDER_API_KEY (and LLM_PROVIDER_BASE_URL, LLM_PROVIDER_MODEL) to use a language model.'
  );
}

function categoryIn(system: string): string | undefined {
  return /^Category: *(\S[^\n]*)$/m.exec(system)?.[1]?.trim();
}

/** "a support request", "a product inquiry" or "feedback". The name of a configured category may have to be quoted. */
function kindOf(category: string): string {
  const name = category.replace(/[_-]+/g, ' ').toLowerCase();
  if (name === 'feedback') return name;
  const isKind = /\b(?:inquiry|enquiry|request|question|complaint|order|report)$/.test(name);
  if (!isKind && name.includes(' ')) return `a message of the category "${name}"`;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${isKind ? name : `${name} request`}`;
}
