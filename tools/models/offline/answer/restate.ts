/** Repeats a person's statement about themselves in the second person: "I ride a Trek" becomes "you ride a Trek". */

import { core } from '../language/sentence-kind.ts';
import { clip } from '../language/text.ts';

const LONGEST_RESTATED = 200;

const SWAPPED = new Map(
  Object.entries({
    'i am': 'you are',
    "i'm": 'you are',
    'i was': 'you were',
    "i've": 'you have',
    "i'll": 'you will',
    "i'd": 'you would',
    i: 'you',
    me: 'you',
    my: 'your',
    mine: 'yours',
    myself: 'yourself',
    "we're": 'you are',
    "we've": 'you have',
    "we'll": 'you will',
    "we'd": 'you would',
    we: 'you',
    us: 'you',
    our: 'your',
    ours: 'yours',
    ourselves: 'yourselves',
  }),
);
const PRONOUNS =
  /\b(?:i am|i was|(?:i|we)'(?:m|ve|ll|d|re)|i|me|my|mine|myself|we|us|our|ours|ourselves)\b(?![-.]\w)/gi;
/** Only these words are lower-cased at the beginning of a sentence, because another word may be a name. */
const COMMON_OPENING =
  /^(?:The|A|An|Yesterday|Today|Tomorrow|Last|Next|Since|For|In|On|At|After|Before|When|If|As|This|That|These|It|There|She|He|They|Her|His|Their|Someone|Somebody|Now|Then|Later|Every|Each|Both|Two|Three|All|Recently|Unfortunately|Luckily|Usually|Sometimes|Currently|You|Your|Yours)\b/;

/** The statement in the second person, without its full stop. It is quoted if swapping the pronouns is not safe. */
export function restate(sentence: string): string {
  const statement = clip(core(sentence), LONGEST_RESTATED).replace(/[\s.!]+$/, '');
  if (/^call me /i.test(statement)) return `you want to be called ${statement.slice('call me '.length)}`;
  if (!isSafeToSwap(statement)) return `"${statement.replaceAll('"', "'")}"`;
  const swapped = statement.replace(PRONOUNS, (word) =>
    word === 'US' ? word : (SWAPPED.get(word.toLowerCase()) ?? word),
  );
  const agreed = swapped.replace(/(?<!\d\s?)\bam\b/g, 'are');
  return COMMON_OPENING.test(agreed) ? agreed.charAt(0).toLowerCase() + agreed.slice(1) : agreed;
}

/**
 * Not if the sentence mentions the listener, if "I'd" may mean two things, or if a verb that is not next to its "I" would have
 * to change.
 */
function isSafeToSwap(statement: string): boolean {
  if (statement.endsWith('…') || /\b(?:you|your|yours|yourself|i\.e)\b|["“”\n]/i.test(statement))
    return false;
  if (/\bi'd (?:been|had|\w+ed)\b/i.test(statement)) return false;
  return !/\bi (?!am\b|was\b)\w+ (?:am|was)\b|\bi\b.*\band was\b|\b(?:and|or) i (?:am|was)\b.*\bwas\b/i.test(
    statement,
  );
}
