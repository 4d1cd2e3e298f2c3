/** The `web_configuration` block: where the server listens, whom it trusts and how often it may be asked. */
import { type Static, Type } from '@sinclair/typebox';
import { AuthenticationOptions } from './authentication/options.ts';

const TlsOptions = Type.Object(
  {
    cert: Type.String({ minLength: 1, path: true, description: 'The certificate chain, a PEM file.' }),
    key: Type.String({ minLength: 1, path: true, description: 'The private key, a PEM file.' }),
  },
  { additionalProperties: false, description: 'Serves HTTPS with this certificate.' },
);

const RateLimitOptions = Type.Object(
  {
    requests_per_minute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        description: 'Requests a minute that one caller may make; unset: no limit.',
      }),
    ),
  },
  { additionalProperties: false, default: {}, description: 'How often one caller may ask.' },
);

export const WebOptions = Type.Object(
  {
    host: Type.String({ default: '0.0.0.0', minLength: 1, description: 'The address to listen on.' }),
    port: Type.Integer({
      default: 80,
      minimum: 0,
      maximum: 65_535,
      description: 'The port to listen on; 0: any free one.',
    }),
    cors_origins: Type.Array(
      Type.String({
        pattern: '^(\\*|https?://[^/\\s]+)$',
        expected: 'an origin such as https://example.org, or *',
        description: 'One origin, without a path.',
      }),
      { default: [], description: 'Origins whose pages may call the service from a browser.' },
    ),
    trusted_proxies: Type.Array(
      Type.String({
        pattern: '^[0-9a-fA-F:.]+(/[0-9]{1,3})?$',
        expected: 'an IP address or a range such as 10.0.0.0/8',
        description: 'One address or range.',
      }),
      { default: [], description: 'Proxies whose X-Forwarded-For is believed.' },
    ),
    tls: Type.Optional(TlsOptions),
    base_path: Type.String({
      default: '',
      pattern: '^(/(?!\\.{1,2}(/|$))[A-Za-z0-9._~-]+)*$',
      expected: 'a path such as /skein, without a slash at its end',
      description: 'The path below which everything is served; empty: none.',
    }),
    lame_duck_seconds: Type.Number({
      default: 0,
      minimum: 0,
      maximum: 3_600,
      description:
        'Seconds after SIGTERM in which requests are served as before, while /readyz already fails.',
    }),
    rate_limit: RateLimitOptions,
    authentication: AuthenticationOptions,
  },
  { additionalProperties: false, default: {}, description: 'The HTTP server.' },
);

export type WebOptions = Static<typeof WebOptions>;
