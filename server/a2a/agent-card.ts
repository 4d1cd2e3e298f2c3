/** Builds the agent card: what the agent does, its URL, and the credentials that it requires. */
import type { AgentCard, SecurityScheme } from '@a2a-js/sdk';
import type { Agent } from './agent.ts';

export interface CardParts {
  agent: Agent;
  /** The URL of the agent's JSON-RPC endpoint. */
  url: string;
  version: string;
  /** Whether callers need credentials. */
  isProtected: boolean;
}

const MODES = ['text/plain', 'application/json'];

/** The workflow is the agent's only skill. For a graph that doesn't accept text, JSON is the only input mode. */
export function agentCard({ agent, url, version, isProtected }: CardParts): AgentCard {
  const { workflow, name } = agent;
  const description = workflow.description || `The workflow ${workflow.name}.`;
  const takesText = !workflow.adopted || workflow.adopted.textInput !== undefined;
  const inputModes = takesText ? MODES : MODES.slice(1);
  return {
    ...{ name, description, version, provider: undefined, signatures: [] },
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      ...{ url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion },
    })),
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: true },
    securitySchemes: isProtected ? SCHEMES : {},
    securityRequirements: isProtected
      ? Object.keys(SCHEMES).map((scheme) => ({ schemes: { [scheme]: { list: [] } } }))
      : [],
    defaultInputModes: inputModes,
    defaultOutputModes: MODES,
    skills: [
      {
        ...{ id: workflow.name, name, description, tags: [workflow.category] },
        examples: workflow.example === '' ? [] : [workflow.example],
        ...{ inputModes, outputModes: MODES, securityRequirements: [] },
      },
    ],
  };
}

const SCHEMES: Record<string, SecurityScheme> = {
  bearer: {
    scheme: {
      $case: 'httpAuthSecurityScheme',
      value: { description: 'An access token or an API key', scheme: 'bearer', bearerFormat: '' },
    },
  },
  api_key: {
    scheme: {
      $case: 'apiKeySecurityScheme',
      value: { description: 'An API key', location: 'header', name: 'X-API-Key' },
    },
  },
  basic: {
    scheme: {
      $case: 'httpAuthSecurityScheme',
      value: { description: 'A name and a password', scheme: 'basic', bearerFormat: '' },
    },
  },
};
