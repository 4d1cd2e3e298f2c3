/** The programs, with the input and the expected output of each. */

export interface Program {
  name: string;
  chatBody: Record<string, unknown>;
  /** With the defaults of its schema, which LangGraph itself does not fill in. */
  context?: object;
  /** The answers to its questions, by the node that asks, one set after the other. */
  answers?: Record<string, string>[];
  /** The answer's text; undefined: the JSON of the output. */
  answerText?: string;
  outputs: [agent: string, content: string, data: unknown][];
  /** The nodes in the order in which they start, with their parents. */
  path: string[];
  /** The expected streamed text of each agent. */
  texts: Record<string, string>;
  tools?: [tool: string, output: unknown][];
  custom?: [agent: string, data: unknown][];
  /** How often each caller calls the model. */
  calls: Record<string, number>;
  model: string;
  /** The points at which its process is killed, each on a separate thread. */
  killed: Kill[];
  /** The nodes of the drawing, and those inside others. */
  drawn: string[];
  inside?: string[];
}

/** While a caller waits for its model. */
export interface Kill {
  caller: string;
  /** The index of the call; default: the first. */
  call?: number;
  /** The number of finished nodes at that moment, and the running ones. */
  finished: number;
  again: string[];
}

const gpt = 'gpt-4o-mini';
const PLAN = 'outline heard owls';
const SECTIONS = [`section heard ${PLAN} first`, `section heard ${PLAN} second`] as const;
const ESSAY = `conclude heard ${SECTIONS.join(' + ')}`;
const SUBJECTS = ['cats', 'dogs', 'owls'];
const JOKES = SUBJECTS.map((subject) => `generateJoke heard ${subject}`);
const BEST = `bestJoke heard ${JOKES.join(' | ')}`;
const WEATHER = "It's always sunny in Rome!";
const TIME = '{"city":"Rome","time":"12:00"}';
const NOTES = ['cons heard Cats?', 'pros heard Cats?'];
const LONGER = 'longer heard lookUp heard Who?';
const PARTS = ['long 17', 'short 17', LONGER];
const GATHERED = `gather heard ${PARTS.join(' | ')}`;

export const PROGRAMS: Program[] = [
  {
    name: 'tools-agent',
    chatBody: { user_prompt: 'What is the weather and the time?' },
    answerText: `So: ${TIME}`,
    outputs: [
      ['agent', '', null],
      ['agent', `So: ${TIME}`, null],
    ],
    path: ['agent', 'tools', 'agent'],
    texts: { agent: `So: ${TIME}` },
    tools: [
      ['get_weather', WEATHER],
      ['get_time', TIME],
    ],
    calls: { assistant: 2 },
    model: gpt,
    killed: [{ caller: 'assistant', call: 2, finished: 2, again: ['agent'] }],
    drawn: ['agent', 'tools'],
  },
  {
    name: 'reducers',
    chatBody: { user_prompt: 'Cats?' },
    answerText: `verdict heard ${NOTES.join(' | ')}`,
    outputs: [
      ['cons', '', { notes: [NOTES[0]], best: 2 }],
      ['pros', '', { notes: [NOTES[1]], best: 3 }],
      ['verdict', `verdict heard ${NOTES.join(' | ')}`, { seen: true }],
    ],
    path: ['cons', 'pros', 'verdict'],
    texts: {
      cons: 'cons heard Cats?',
      pros: 'pros heard Cats?',
      verdict: `verdict heard ${NOTES.join(' | ')}`,
    },
    calls: { pros: 1, cons: 1, verdict: 1 },
    model: gpt,
    killed: [
      { caller: 'pros', finished: 1, again: ['pros'] },
      { caller: 'verdict', finished: 2, again: ['verdict'] },
    ],
    drawn: ['pros', 'cons', 'verdict'],
  },
  {
    name: 'input-output',
    chatBody: { input: { topic: 'cats', length: 2 } },
    outputs: [
      ['invent', '', { draft: 'invent heard catscats', hint: 'short' }],
      ['polish', '', { joke: 'polish heard invent heard catscats short' }],
      ['rate', '', { rating: 40 }],
    ],
    path: ['invent', 'polish', 'rate'],
    texts: { invent: 'invent heard catscats', polish: 'polish heard invent heard catscats short' },
    calls: { invent: 1, polish: 1 },
    model: gpt,
    killed: [{ caller: 'polish', finished: 1, again: ['polish'] }],
    drawn: ['invent', 'polish', 'rate'],
  },
  {
    name: 'map-reduce',
    chatBody: { input: { topic: SUBJECTS.join(', ') } },
    outputs: [
      ['generateTopics', '', { subjects: SUBJECTS }],
      ...JOKES.map((joke): [string, string, unknown] => ['generateJoke', '', { jokes: [joke] }]),
      ['bestJoke', '', { bestSelectedJoke: BEST }],
    ],
    path: ['generateTopics', 'generateJoke', 'generateJoke', 'generateJoke', 'bestJoke'],
    texts: {
      generateTopics: JSON.stringify({ subjects: SUBJECTS }),
      generateJoke: JOKES.join(''),
      bestJoke: BEST,
    },
    calls: { generateTopics: 1, generateJoke: 3, bestJoke: 1 },
    model: gpt,
    killed: [
      { caller: 'generateJoke', call: 3, finished: 3, again: ['generateJoke'] },
      { caller: 'bestJoke', finished: 4, again: ['bestJoke'] },
    ],
    drawn: ['generateTopics', 'generateJoke', 'bestJoke'],
  },
  {
    name: 'subgraphs',
    chatBody: { user_prompt: 'Why?' },
    answerText: 'correct heard condense heard collect heard Why?',
    outputs: [
      ['read', '', { question: 'Why?' }],
      ['research', '', { question: 'Why?', findings: 'condense heard collect heard Why?' }],
      ['publish', 'correct heard condense heard collect heard Why?', null],
    ],
    path: ['read', 'research', 'research/collect', 'research/condense', 'publish', 'publish/correct'],
    texts: {
      collect: 'collect heard Why?',
      condense: 'condense heard collect heard Why?',
      correct: 'correct heard condense heard collect heard Why?',
    },
    calls: { collect: 1, condense: 1, correct: 1 },
    model: gpt,
    killed: [
      { caller: 'condense', finished: 2, again: ['research', 'research/condense'] },
      { caller: 'correct', finished: 4, again: ['publish', 'publish/correct'] },
    ],
    drawn: ['read', 'research', 'publish'],
    inside: ['research:collect', 'research:condense'],
  },
  {
    name: 'supervisor',
    chatBody: { user_prompt: 'Add two and three' },
    answerText: 'writer heard Add two and three',
    outputs: [
      ['math', '', null],
      ['writer', 'writer heard Add two and three', null],
    ],
    path: [
      ...['supervisor', 'math', 'math/agent', 'math/tools', 'math/agent', 'math/tools'],
      ...['writer', 'writer/agent', 'supervisor'],
    ],
    texts: { supervisor: '{"next":"math"}{"next":"__end__"}', agent: 'writer heard Add two and three' },
    tools: [
      ['add', '5'],
      ['transfer_to_writer', 'Transferred to writer'],
    ],
    calls: { supervisor: 2, math: 2, writer: 1 },
    model: gpt,
    killed: [
      { caller: 'math', call: 2, finished: 3, again: ['math', 'math/agent'] },
      { caller: 'writer', finished: 6, again: ['writer', 'writer/agent'] },
    ],
    drawn: ['supervisor', 'math', 'writer'],
    inside: ['math:agent', 'math:tools', 'writer:agent', 'writer:tools'],
  },
  {
    name: 'approvals',
    chatBody: { user_prompt: 'An offer' },
    answers: [{ legal: 'yes', sales: 'yes' }],
    answerText: 'send heard draft heard An offer / legal: yes, sales: yes',
    outputs: [
      ['draft', '', { offer: 'draft heard An offer' }],
      ['legal', '', { approvals: ['legal: yes'] }],
      ['sales', '', { approvals: ['sales: yes'] }],
      ['send', 'send heard draft heard An offer / legal: yes, sales: yes', null],
    ],
    path: ['draft', 'legal', 'sales', 'decide', 'send'],
    texts: {
      draft: 'draft heard An offer',
      send: 'send heard draft heard An offer / legal: yes, sales: yes',
    },
    calls: { draft: 1, send: 1 },
    model: gpt,
    killed: [{ caller: 'send', finished: 3, again: ['send'] }],
    drawn: ['draft', 'legal', 'sales', 'decide', 'send'],
  },
  {
    name: 'memory',
    chatBody: { user_prompt: 'I like tea', configurable: { user: 'ann' } },
    answerText: 'recall heard known: I like tea',
    outputs: [['recall', 'recall heard known: I like tea', null]],
    path: ['remember', 'recall'],
    texts: { recall: 'recall heard known: I like tea' },
    calls: { recall: 1 },
    model: gpt,
    killed: [{ caller: 'recall', finished: 1, again: ['recall'] }],
    drawn: ['remember', 'recall'],
  },
  {
    name: 'runtime-context',
    chatBody: { user_prompt: 'Hello', context: { language: 'Latin' } },
    context: { language: 'Latin', tone: 'dry' },
    answerText: 'speak heard in Latin, dry',
    outputs: [['speak', 'speak heard in Latin, dry', null]],
    path: ['speak'],
    texts: { speak: 'speak heard in Latin, dry' },
    calls: { speak: 1 },
    model: gpt,
    killed: [{ caller: 'speak', finished: 0, again: ['speak'] }],
    drawn: ['speak'],
  },
  {
    name: 'functional',
    chatBody: { user_prompt: 'owls' },
    outputs: [['essay', '', { essay: ESSAY, earlier: 0 }]],
    path: ['essay', 'outline', 'section', 'section', 'conclude'],
    texts: { outline: PLAN, section: SECTIONS.join(''), conclude: ESSAY },
    calls: { outline: 1, section: 2, conclude: 1 },
    model: gpt,
    killed: [
      { caller: 'section', call: 2, finished: 2, again: ['essay', 'section'] },
      { caller: 'conclude', finished: 3, again: ['essay', 'conclude'] },
    ],
    drawn: ['essay'],
  },
  {
    name: 'deferred',
    chatBody: { input: { question: 'Who?' } },
    outputs: [
      ['lookUp', '', { facts: 'lookUp heard Who?' }],
      ['long', '', { parts: [PARTS[0]] }],
      ['short', '', { parts: [PARTS[1]] }],
      ['longer', '', { parts: [LONGER] }],
      ['gather', '', { whole: GATHERED }],
    ],
    path: ['lookUp', 'long', 'short', 'longer', 'gather'],
    texts: { lookUp: 'lookUp heard Who?', longer: LONGER, gather: GATHERED },
    calls: { lookUp: 1, longer: 1, gather: 1 },
    model: gpt,
    killed: [{ caller: 'longer', finished: 3, again: ['longer'] }],
    drawn: ['lookUp', 'short', 'long', 'longer', 'gather'],
  },
  {
    name: 'own-model',
    chatBody: { user_prompt: 'Hello' },
    answerText: 'sum heard tell heard Hello',
    outputs: [
      ['tell', 'tell heard Hello', null],
      ['sum', 'sum heard tell heard Hello', null],
    ],
    path: ['tell', 'sum'],
    texts: { tell: 'tell heard Hello', sum: 'sum heard tell heard Hello' },
    custom: [
      ['tell', { progress: 0 }],
      ['tell', { progress: 1 }],
      ['sum', 'summed'],
    ],
    calls: { tell: 1, sum: 1 },
    model: 'LineModel',
    killed: [{ caller: 'sum', finished: 1, again: ['sum'] }],
    drawn: ['tell', 'sum'],
  },
];
