/** The `mcp_servers` block: Model Context Protocol servers whose tools graphs use. */
import { type Static, Type } from '@sinclair/typebox';

export const McpServerOptions = Type.Object(
  {
    command: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The program to start, which speaks MCP over standard input and output.',
      }),
    ),
    args: Type.Array(Type.String({ description: 'One argument.' }), {
      default: [],
      description: "The program's arguments.",
    }),
    env: Type.Record(
      Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
      Type.String({ secret: true, description: 'The value of one variable.' }),
      {
        additionalProperties: false,
        default: {},
        description:
          'Environment variables of the program. It only inherits PATH, HOME and similar variables from the service.',
      },
    ),
    url: Type.Optional(
      Type.String({
        pattern: '^https?://\\S+$',
        expected: 'an http or https URL',
        description: 'The address of a server over streamable HTTP, instead of a command.',
      }),
    ),
    headers: Type.Record(
      Type.String({ pattern: '^[A-Za-z0-9-]+$' }),
      Type.String({ secret: true, description: 'The value of one header.' }),
      { additionalProperties: false, default: {}, description: 'Headers of every request to the url.' },
    ),
    timeout_seconds: Type.Number({
      default: 60,
      exclusiveMinimum: 0,
      maximum: 3600,
      description: 'Timeout of a tool call, in seconds.',
    }),
  },
  // TypeBox only applies defaults inside record entries that have a default themselves.
  { additionalProperties: false, default: {}, description: 'One server: a command or a url.' },
);

export type McpServerOptions = Static<typeof McpServerOptions>;

export const McpServersOptions = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' }),
  McpServerOptions,
  {
    additionalProperties: false,
    default: {},
    description: 'MCP servers whose tools graphs use, by name.',
  },
);

export type McpServersOptions = Static<typeof McpServersOptions>;
