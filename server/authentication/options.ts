/** The `web_configuration.authentication` settings: users, API keys, OpenID Connect, tokens and operators. */
import { type Static, Type } from '@sinclair/typebox';

const UserOptions = Type.Object(
  {
    username: username('The name of the user.'),
    password_hash: Type.String({
      pattern: '^\\$argon2id\\$v=19\\$m=\\d+,t=\\d+,p=\\d+(\\$[A-Za-z0-9+/]+){2}$',
      expected: 'an argon2id hash, as `skein users hash` prints it',
      secret: true,
      description: "The argon2id hash of the user's password.",
    }),
  },
  { additionalProperties: false, description: 'A user.' },
);

const ApiKeyOptions = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      description: 'The name of the caller: data that is created with the key belongs to key:<name>.',
    }),
    sha256: Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      expected: 'the SHA-256 of the key, as 64 hexadecimal digits',
      secret: true,
      description: 'The SHA-256 of the key; the key itself is never stored.',
    }),
  },
  { additionalProperties: false, description: 'An API key.' },
);

const OidcOptions = Type.Object(
  {
    issuer: Type.String({
      pattern: '^https?://[^\\s?#@]+$',
      expected: 'a URL without a query, as the issuer writes it in its tokens',
      description:
        'The `iss` claim of the tokens. The keys are read from <issuer>/.well-known/openid-configuration.',
    }),
    audience: Type.String({
      minLength: 1,
      description: "This service's name in the `aud` claim of the tokens.",
    }),
    owner_claim: Type.String({
      default: 'sub',
      minLength: 1,
      description: 'The claim that identifies the caller. Its values must be unique and never reassigned.',
    }),
  },
  { additionalProperties: false, description: 'Accepts the access tokens of an OpenID Connect issuer.' },
);
export type OidcOptions = Static<typeof OidcOptions>;

export const AuthenticationOptions = Type.Object(
  {
    enable: Type.Boolean({ default: false, description: 'Enables authentication.' }),
    enable_global_middleware: Type.Boolean({
      default: false,
      description: 'Requires credentials on all endpoints. Without it, `enable` alone protects nothing.',
    }),
    username: Type.Optional(username('The username for HTTP Basic and the login.')),
    password: Type.Optional(
      Type.String({ minLength: 1, secret: true, description: 'The password of that user.' }),
    ),
    jwt_secret_key: Type.Optional(
      Type.String({
        minLength: 1,
        secret: true,
        description: 'The secret that signs the tokens: at least 32 bytes of random text.',
      }),
    ),
    jwt_access_token_expire_minutes: Type.Integer({
      default: 1440,
      minimum: 1,
      maximum: 525_600,
      description: 'Minutes for which an access token is valid.',
    }),
    jwt_refresh_token_expire_days: Type.Integer({
      default: 7,
      minimum: 1,
      maximum: 3650,
      description: 'Days for which a refresh token is valid.',
    }),
    rotate_refresh_tokens: Type.Boolean({
      default: false,
      description: 'Issues a new refresh token with each refresh and rejects the used one.',
    }),
    failed_logins_per_minute: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 100_000,
      description:
        'Maximum number of failed logins per minute for one username from one address. Further logins get 429.',
    }),
    users: Type.Array(UserOptions, { default: [], description: 'Additional users.' }),
    api_keys: Type.Array(ApiKeyOptions, { default: [], description: 'API keys for programs.' }),
    oidc: Type.Optional(OidcOptions),
    operators: Type.Array(
      Type.String({
        pattern: '^(user|key|oidc):.+$',
        expected: 'a caller such as user:ann, key:nightly-report or oidc:8f2c',
        description: 'A caller.',
      }),
      { default: [], description: 'Callers that may read the data of others and erase callers.' },
    ),
  },
  { additionalProperties: false, default: {}, description: 'Authentication.' },
);

export type AuthenticationOptions = Static<typeof AuthenticationOptions>;

function username(description: string) {
  // HTTP Basic credentials end the username at the first colon.
  return Type.String({ pattern: '^[^:]+$', expected: 'a name without a colon', description });
}
