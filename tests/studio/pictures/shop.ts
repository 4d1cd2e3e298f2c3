/** A bike shop for the pictures: questions of its customers, and a model's answers, streamed word by word like those of real models. */
import { callOf, questionOf } from '../../server/support/calls.ts';
import {
  answerId,
  type ChatRequest,
  chunk,
  eventStream,
  opening,
  type Reply,
  type Script,
} from '../../support/provider.ts';

export const PEDAL = 'My name is Ana. My new bike arrived with a broken pedal!';
/** The same question after an edit. */
export const RIM = 'My name is Ana. My new bike arrived with a bent rim!';
export const WARRANTY = 'How long is the warranty on a frame?';
export const SALES = 'Which five stores sold the most bikes in 2024?';

/** The provider rejects it. */
const FAILING = 'Can I send you a video of the noise?';
const NO_VIDEO = Response.json({ error: { message: 'This model does not accept videos.' } }, { status: 400 });

/** Questions of a week, by day. */
export const WEEK = [
  ['Which helmet fits a head of 61 cm?', 'My order has not arrived yet.'],
  ['Do you repair electric bikes?', 'My rear light stays dark.'],
  ['I love the new helmet, thank you!', 'How do I return a jacket?'],
  ['Do you have the Gravel 500 in size L?', FAILING],
  ['My saddle bag is torn.', 'Which tyres are good for snow?'],
  ['Can I pay in instalments?', 'The gears skip since the last service.'],
  ['When is my bike ready?', 'Do you buy used bikes?'],
];

const ANSWERS: Record<string, string> = {
  'What is my name?': 'Your name is Ana.',
  [WARRANTY]:
    'Frames of steel and aluminium have a warranty of **10 years**, carbon frames and forks **6 years** [1].',
  'I love the new helmet, thank you!': 'Thank you! Enjoy the rides.',
  'Do you have the Gravel 500 in size L?': 'Yes, the Gravel 500 in size L is in stock in three shops.',
};

/** Answers to some questions, and the answers if the prompt file asks for a photo. */
const BY_PROMPT: Record<string, { before: string; after: string }> = {
  [PEDAL]: {
    before:
      "I'm sorry about the pedal, Ana. Please don't ride the bike until it is replaced.\n\n1. Send me your order number.\n2. We send you a **new pair of pedals** today, free of charge.\n3. A shop near you can fit them, and we pay for it.",
    after:
      "I'm sorry about the pedal, Ana. Please don't ride the bike until it is replaced.\n\n1. Send me a photo of the pedal and your order number.\n2. We send you a **new pair of pedals** today, free of charge.",
  },
  [RIM]: {
    before:
      "I'm sorry about the rim, Ana. Please don't ride the bike until it is replaced.\n\n1. Send me your order number.\n2. We send you a **new wheel** today, free of charge.\n3. A shop near you can fit it, and we pay for it.",
    after:
      "I'm sorry about the rim, Ana. Please don't ride the bike until it is replaced.\n\n1. Send me a photo of the rim and your order number.\n2. We send you a **new wheel** today, free of charge.",
  },
  'The chain of my bike slips under load.': {
    before: 'The chain or the cassette is worn. Please bring the bike to a shop.',
    after: 'The chain or the cassette is worn. Please send a photo, or bring the bike to a shop.',
  },
  'My brake levers arrived bent.': {
    before: 'We send you new brake levers today, free of charge.',
    after: 'Please send a photo of the levers. We send you new ones today, free of charge.',
  },
  'When does your shop in Porto open?': {
    before: 'Our shop in Porto is open from 9:00 to 18:00.',
    after: 'Our shop in Porto is open from 9:00 to 18:00.',
  },
  'Can I return a helmet that I have worn once?': {
    before: 'Yes, within 30 days, if it has no marks.',
    after: 'Please send a photo of the helmet first.',
  },
};

export const CASE_EXPECTATIONS: [prompt: string, contains: string][] = [
  ['The chain of my bike slips under load.', 'photo'],
  ['My brake levers arrived bent.', 'photo'],
  ['When does your shop in Porto open?', '9:00'],
  ['Can I return a helmet that I have worn once?', '30 days'],
];

const CATEGORIES: [RegExp, object][] = [
  [/helmet, thank/, category('feedback', 'new helmet', 'positive', 0.9, 'Praise for a product.')],
  [/size L/, category('product_inquiry', 'Gravel 500', 'neutral', 0.1, 'A question about sizes.')],
  [/my name\?/, category('other', 'own name', 'neutral', 0, 'It concerns the conversation itself.')],
  [/./, category('support', 'broken pedal', 'negative', -0.6, 'Something arrived broken and needs help.')],
];

function category(name: string, topic: string, label: string, score: number, explanation: string): object {
  return { category: name, topic, sentiment: { label, score }, confidence: 0.93, explanation };
}

const SQL = `SELECT s.name AS store, sum(sales.quantity) AS bikes
FROM sales JOIN stores AS s ON s.store_id = sales.store_id
WHERE sales.sale_date BETWEEN DATE '2024-01-01' AND DATE '2024-12-31'
GROUP BY s.name ORDER BY bikes DESC LIMIT 5`;

/** Calls take about as long as those of a small model. */
export function shopScript(): Script {
  return async (request, index) => {
    const call = callOf(request);
    await Bun.sleep((call === 'answer' ? 180 : 420) + 40 * (index % 7));
    if (questionOf(request) === FAILING) return NO_VIDEO.clone();
    if (call === 'classification')
      return CATEGORIES.find(([words]) => words.test(questionOf(request)))?.[1] ?? {};
    if (call === 'sql')
      return { sql: SQL, explanation: 'Bikes sold by store in 2024.', tables: ['sales', 'stores'] };
    const text = answerOf(request);
    return request.stream ? streamed(request, text) : text;
  };
}

function answerOf(request: ChatRequest): string {
  const question = questionOf(request);
  const known = BY_PROMPT[question];
  const asksForPhotos = request.messages[0]?.content.includes('photo') ?? false;
  if (known) return asksForPhotos ? known.after : known.before;
  return (
    ANSWERS[question] ?? 'Canal Bikes sold the most bikes, followed by four stores that are close together.'
  );
}

const HEAD = { id: '', created: 1, model: 'gpt-4o-mini' };

function streamed({ messages }: ChatRequest, text: string): Reply {
  const head = { ...HEAD, id: answerId() };
  // About four characters a token.
  const sent = messages.reduce((sum, { content }) => sum + content.length, 0);
  const [prompt_tokens, completion_tokens] = [Math.ceil(sent / 4), Math.ceil(text.length / 4)];
  const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
  const words = text.match(/\S+\s*/g) ?? [];
  return eventStream(
    new ReadableStream({
      async start(stream) {
        stream.enqueue(opening(head));
        for (const content of words) {
          stream.enqueue(chunk(head, { choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
          await Bun.sleep(12);
        }
        stream.enqueue(chunk(head, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
        stream.enqueue(chunk(head, { choices: [], usage }));
        stream.enqueue('data: [DONE]\n\n');
        stream.close();
      },
    }),
  );
}
