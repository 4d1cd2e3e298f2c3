/** The entry of classification-agent according to the contract. */
import { expect } from 'bun:test';

const CATEGORIES = ['product_inquiry', 'purchase', 'support', 'feedback', 'other'];
export const AGENTS = ['classification_agent', ...CATEGORIES.map((category) => `${category}_responder`)];
export const TEXT = expect.stringMatching(/\S/);
export const ENTRY = {
  workflow: 'classification-agent',
  alias: 'classification_agent',
  supported_names: ['classification-agent', 'classification_agent'],
  description: TEXT,
  category: 'core',
  agents: AGENTS.map((name) => ({ name, description: TEXT })),
  configured: true,
  missing_config: [],
  required_config: [],
  external_services: ['language model provider'],
  ready: true,
  ready_detail: null,
  prompt_revision: 'default',
  prompt_files: [...AGENTS, 'responder'].map((agent) => `classification-agent.${agent}.jinja`).toSorted(),
  source: 'core',
  takes_prompt: true,
  example: 'My new bike arrived with a broken pedal, what can I do?',
  input_schema: null,
  context_schema: null,
  test_command: expect.stringMatching(/^curl /),
  documentation: TEXT,
};
