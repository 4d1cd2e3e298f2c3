/** The task `answer`: recall, acknowledgement, arithmetic, politeness, and honest limits. */

import { describe, expect, test } from 'bun:test';
import { summaryText } from '../../../../../graphs/authoring/agent/conversation-messages.ts';
import { answerTo, complete } from '../complete.ts';

const LIMIT =
  "I am Skein's built-in offline model, which cannot answer this in its own words; " +
  'set LLM_PROVIDER_API_KEY (and LLM_PROVIDER_BASE_URL, LLM_PROVIDER_MODEL) to use a language model.';

describe('a question about what was said earlier', () => {
  test('finds the name in every wording', async () => {
    for (const text of [
      'My name is Ana.',
      'Hello! My name is Ana and I ride a Trek.',
      "Hi, I'm Ana!",
      'I am Ana, from Lisbon.',
      "I'm called Ana.",
      'Call me Ana.',
      "my name's Ana",
    ]) {
      for (const question of [
        'What is my name?',
        "what's my name",
        'Who am I?',
        'Do you remember my name?',
      ]) {
        expect(await answerTo(text, question)).toStartWith('Your name is Ana.');
      }
    }
  });

  test("uses the latest name, in full, and never another person's", async () => {
    expect(await answerTo('My name is Ana.', 'Sorry, my name is Ana Maria Silva.', 'What is my name?')).toBe(
      'Your name is Ana Maria Silva.',
    );
    expect(await answerTo("My brother's name is Rex.", 'I am German.', 'What is my name?')).toBe(
      'You have not told me your name in this conversation.',
    );
  });

  test('is answered by quoting the sentence that fits', async () => {
    const past = [
      'My name is Ana. I ride a 2021 Trek Marlin.',
      'What sizes do you have?',
      'I live in Lisbon and work as a nurse.',
      'My favourite colour is green.',
      'My dog is called Rex.',
    ];
    const quotes = {
      'Which bike do I have?': 'I ride a 2021 Trek Marlin.',
      'What did I tell you about my Trek?': 'I ride a 2021 Trek Marlin.',
      'Where do I live?': 'I live in Lisbon and work as a nurse.',
      'What is my job?': 'I live in Lisbon and work as a nurse.',
      'do you remember my favorite color': 'My favourite colour is green.',
      "What's my dog's name?": 'My dog is called Rex.',
    };
    for (const [question, quote] of Object.entries(quotes)) {
      expect(await answerTo(...past, question)).toBe(`You told me earlier: "${quote}"`);
    }
  });

  test('about the name and another fact answers both', async () => {
    expect(
      await answerTo('My name is Ana.', 'I ride a Trek.', "What's my name and which bike do I ride?"),
    ).toBe('Your name is Ana. You told me earlier: "I ride a Trek."');
  });

  test('reaches into the summary of what left the window', async () => {
    const system = [
      'You are a helpful agent.',
      '',
      summaryText('The user said: My name is Ana. The user said: I ride a Trek.'),
      '',
      'I am the tone of the house: friendly.',
    ].join('\n');
    const ask = (question: string) =>
      complete('answer', [
        ['system', system],
        ['user', question],
      ]);
    expect(await ask('What is my name?')).toBe('Your name is Ana.');
    expect(await ask('Which bike do I ride?')).toBe('You told me earlier: "I ride a Trek."');
  });

  test('says that the conversation has no answer, and invents none', async () => {
    expect(await answerTo('What is my name?')).toBe('You have not told me your name in this conversation.');
    expect(await answerTo('I like tea.', 'Do you remember my car?')).toBe(
      'I find nothing about "car" in what you told me in this conversation.',
    );
  });

  test('is not recognized in a question about the world or about what to do', async () => {
    for (const question of [
      'How do I change my tyre?',
      'Which bike should I buy?',
      'Is there a bike in my size?',
    ]) {
      expect(await answerTo('I ride a bike with a flat tyre.', question)).toEndWith(LIMIT);
    }
  });
});

describe('a statement about oneself', () => {
  test('is repeated in the second person', async () => {
    const restated = {
      'My name is Ana and I ride a Trek.': 'your name is Ana and you ride a Trek',
      "I'm 34 and my wife gave me a bike": 'you are 34 and your wife gave you a bike',
      'We live in the US and our bikes are old.': 'you live in the US and your bikes are old',
      'Yesterday I bought a lamp.': 'yesterday you bought a lamp',
      'Trek is my favourite brand!': 'Trek is your favourite brand',
      'Please remember that I was born in Graz.': 'you were born in Graz',
      'I live in Graz and am up at 9 am.': 'you live in Graz and are up at 9 am',
    };
    for (const [original, restatement] of Object.entries(restated)) {
      expect(await answerTo(original)).toBe(`Noted: ${restatement}. It will be remembered in this thread.`);
    }
  });

  test('is quoted if replacing the pronouns could be wrong', async () => {
    for (const unclear of ['I told you that your shop is nice', 'I fell and was hurt']) {
      expect(await answerTo(unclear)).toBe(`Noted: "${unclear}". It will be remembered in this thread.`);
    }
  });

  test('next to a question gets the question answered too', async () => {
    expect(await answerTo('My name is Ana. What is 2 + 2?')).toBe(
      'Noted: your name is Ana. It will be remembered in this thread. 2 + 2 = 4.',
    );
    expect(await answerTo('My name is Ana. Who won the cup?')).toEndWith(LIMIT);
  });
});

describe('arithmetic', () => {
  test('is calculated, with precedence and parentheses', async () => {
    const results = {
      'what is 12 * 7?': '12 * 7 = 84.',
      '2 + 3 * 4': '2 + 3 * 4 = 14.',
      'Calculate (2 + 3) * 4 - 1/2': '(2 + 3) * 4 - 1/2 = 19.5.',
      'How much is 1,000 - 2.5?': '1,000 - 2.5 = 997.5.',
      '0.1 + 0.2 =': '0.1 + 0.2 = 0.3.',
      'What is 10 / 4?': '10 / 4 = 2.5.',
      'What is 10 / 3?': '10 / 3 ≈ 3.33333333333.',
      'What is 6 ÷ 3 × -2?': '6 ÷ 3 × -2 = -4.',
      'What is 5 / 0?': '5 / 0 has no result: nothing can be divided by zero.',
    };
    for (const [question, result] of Object.entries(results)) expect(await answerTo(question)).toBe(result);
  });

  test('is not recognized in dates, telephone numbers, broken expressions or numbers beyond exactness', async () => {
    for (const text of [
      '2021-05-03',
      '555-1234',
      'What is 5 * ?',
      'What is (2 + 3?',
      'What is 9007199254740993 + 1?',
    ]) {
      expect(await answerTo(text)).toEndWith(LIMIT);
    }
  });
});

test('greetings, thanks and goodbyes get a polite sentence', async () => {
  expect(await answerTo('Hello there!')).toBe('Hello! How can I help you?');
  expect(await answerTo('Thank you very much!')).toBe("You're welcome.");
  expect(await answerTo('bye')).toBe('Goodbye.');
});

describe('everything else', () => {
  test('names the topic, the limit, and the settings that lift it', async () => {
    expect(await answerTo('How do I fix a flat tyre?')).toBe(`Your message is about "flat tyre". ${LIMIT}`);
    expect(await answerTo('')).toBe(`I find no topic in your message. ${LIMIT}`);
  });

  test('names the category that the prompt gives', async () => {
    const ask = (category: string) =>
      complete('answer', [
        ['system', `You answer customers.\nCategory: ${category}\nBe brief.`],
        ['user', 'What about the flat tyre?'],
      ]);
    const about = `about "flat tyre". ${LIMIT}`;
    expect(await ask('support')).toBe(`This reads as a support request ${about}`);
    expect(await ask('product_inquiry')).toBe(`This reads as a product inquiry ${about}`);
    expect(await ask('feedback')).toBe(`This reads as feedback ${about}`);
    expect(await ask('billing_issues')).toBe(
      `This reads as a message of the category "billing issues" ${about}`,
    );
    expect(await ask('other')).toBe(`Your message is ${about}`);
  });

  test('of 100,000 characters is answered', async () => {
    for (const piece of ['my bike ', 'what is my name ', '1+', '(', 'hi ', '.', '"', '\n', ' ']) {
      const answer = await answerTo('My name is Ana.', piece.repeat(100_000 / piece.length));
      expect(answer.length).toBeWithin(1, 3_000);
    }
  });
});
