/** A service under random disturbances, and its history: one server or several. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Provider } from '../support/provider.ts';
import { writeGraphs } from '../support/service.ts';
import type { NumberedAnswers } from './numbered-answers.ts';

export interface Chaos {
  answers: NumberedAnswers;
  provider: Provider;
  /** The servers that take requests. Some may be paused, or dead without being detected. */
  servers: { url: string }[];
  /** The log lines of all servers that contain a text. */
  said(text: string): string[];
  /** The number of times of each disturbance. */
  done: Record<string, number>;
  /** Errors of servers during disturbances. */
  problems: string[];
  /** Disturbs until `stop` is called; resolves when all servers work again. */
  disturb(): Promise<void>;
  stop(): void;
  history: History;
  close(): Promise<void>;
}

interface History {
  /** In the order of acceptance. */
  runs(): Promise<StoredRun[]>;
  /** The claims of runs by servers, in order. */
  claims(): Promise<Claim[]>;
  /** The number of runs that have not ended. */
  unfinished(): Promise<number>;
  /** Errors in the database itself. */
  damage(): Promise<string[]>;
}

export interface StoredRun {
  run_id: string;
  owner: string;
  thread_id: string;
  question: string;
  workflow: string;
  status: string;
  result: string | null;
  error: string | null;
  messages: number;
  /** How often a server continued a run of another server, or of its own earlier process. */
  takeovers: number;
}

export interface Claim {
  run_id: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The server's name, which its calls of the provider have as their API key. */
  server: string;
}

const AGENT = (name: string) =>
  `.addNode('${name}', agent('${name}', async (_state, { answer }) => answer('You are ${name}')))`;
const GRAPHS = {
  pair: `export default workflow({
    description: 'Two agents.', example: 'Hello',
    agents: () => ['first', 'second'].map((name) => ({ name, description: name })),
    build: ({ agent }) => new StateGraph(Conversation)${AGENT('first')}${AGENT('second')}
      .addEdge(START, 'first').addEdge('first', 'second').addEdge('second', END),
  });`,
  asking: `export default workflow({
    description: 'Asks twice.', example: 'Hello',
    agents: () => ['asker', 'closer'].map((name) => ({ name, description: name })),
    build: ({ agent }) => new StateGraph(Conversation)
      .addNode('asker', agent('asker', async () => ({ content: interrupt('one?') + ', ' + interrupt('two?') })))${AGENT('closer')}
      .addEdge(START, 'asker').addEdge('asker', 'closer').addEdge('closer', END),
  });`,
};

export const AGENTS = ['first', 'second'];
export const keyOf = (owner: string) => `key-of-${owner}`;

/** The workflows, and a configuration in which each owner has an API key. */
export async function writeChaosProject(folder: string, owners: string[]): Promise<void> {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const keys = owners.map((name) => `{name: ${name}, sha256: "${sha256(keyOf(name))}"}`);
  await writeGraphs(folder, GRAPHS);
  await Bun.write(
    join(folder, 'config.yml'),
    `web_configuration:\n  authentication: {enable: true, enable_global_middleware: true, username: root, password: secret, jwt_secret_key: "${'k'.repeat(48)}", api_keys: [${keys}]}\n`,
  );
}
