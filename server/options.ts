/** The `web_configuration` settings: the address, TLS, CORS, trusted proxies, rate limits and authentication. */
import { type Static, Type } from '@sinclair/typebox';
import { AuthenticationOptions } from './authentication/options.ts';

const TlsOptions = Type.Object(
  {
    cert: Type.String({ minLength: 1, path: true, description: 'The certificate chain, as a PEM file.' }),
    key: Type.String({ minLength: 1, path: true, description: 'The private key, as a PEM file.' }),
  },
  { additionalProperties: false, description: 'Serves HTTPS with this certificate.' },
);

const RateLimitOptions = Type.Object(
  {
    requests_per_minute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        description:
          'Maximum number of turns per minute of one caller, over all protocols. No limit if unset.',
      }),
    ),
  },
  { additionalProperties: false, default: {}, description: 'Rate limits per caller.' },
);

export const WebOptions = Type.Object(
  {
    host: Type.String({ default: '0.0.0.0', minLength: 1, description: 'The address to listen on.' }),
    port: Type.Integer({
      default: 80,
      minimum: 0,
      maximum: 65_535,
      description: 'The port to listen on. 0 selects a free port.',
    }),
    cors_origins: Type.Array(
      Type.String({
        pattern: '^(\\*|https?://[^/\\s]+)$',
        expected: 'an origin such as https://example.org, or *',
        description: 'An origin, without a path.',
      }),
      { default: [], description: 'Origins that may call the service from a browser (CORS).' },
    ),
    trusted_proxies: Type.Array(
      Type.String({
        pattern: '^[0-9a-fA-F:.]+(/[0-9]{1,3})?$',
        expected: 'an IP address or a range such as 10.0.0.0/8',
        description: 'An address or a range.',
      }),
      { default: [], description: 'Proxies whose X-Forwarded-* headers are trusted.' },
    ),
    tls: Type.Optional(TlsOptions),
    base_path: Type.String({
      default: '',
      pattern: '^(/(?!\\.{1,2}(/|$))[A-Za-z0-9._~-]+)*$',
      expected: 'a path such as /skein, without a trailing slash',
      description: 'Path prefix of all routes. Empty for no prefix.',
    }),
    lame_duck_seconds: Type.Number({
      default: 0,
      minimum: 0,
      maximum: 3_600,
      description:
        'Seconds after SIGTERM during which requests are still served, while /readyz already fails.',
    }),
    rate_limit: RateLimitOptions,
    authentication: AuthenticationOptions,
  },
  { additionalProperties: false, default: {}, description: 'The HTTP server.' },
);

export type WebOptions = Static<typeof WebOptions>;
