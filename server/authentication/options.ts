/** The `web_configuration.authentication` block: who may call, and how long tokens live. */
import { type Static, Type } from '@sinclair/typebox';

const UserOptions = Type.Object(
  {
    username: username('The name of the user.'),
    password_hash: Type.String({
      pattern: '^\\$argon2id\\$v=19\\$m=\\d+,t=\\d+,p=\\d+(\\$[A-Za-z0-9+/]+){2}$',
      expected: 'an argon2id hash, as `skein users hash` gives it',
      secret: true,
      description: "The argon2id hash of the user's password.",
    }),
  },
  { additionalProperties: false, description: 'One more user.' },
);

const ApiKeyOptions = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Names the owner of what the key makes.' }),
    sha256: Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      expected: 'the SHA-256 of the key, as 64 hexadecimal digits',
      secret: true,
      description: 'The SHA-256 of the key; the key itself is never stored.',
    }),
  },
  { additionalProperties: false, description: 'One API key.' },
);

const OidcOptions = Type.Object(
  {
    issuer: Type.String({
      pattern: '^https?://[^\\s?#@]+$',
      expected: 'a URL without a query, as the issuer writes it in its tokens',
      description:
        'The `iss` of the tokens. Its keys are found below it, at /.well-known/openid-configuration.',
    }),
    audience: Type.String({ minLength: 1, description: 'The `aud` that a token must name: this service.' }),
    owner_claim: Type.String({
      default: 'sub',
      minLength: 1,
      description: 'The claim that names the caller: a text that is unique and never given to another.',
    }),
  },
  { additionalProperties: false, description: 'Accepts the access tokens of an OpenID Connect issuer.' },
);
export type OidcOptions = Static<typeof OidcOptions>;

export const AuthenticationOptions = Type.Object(
  {
    enable: Type.Boolean({ default: false, description: 'Turns authentication on.' }),
    enable_global_middleware: Type.Boolean({
      default: false,
      description: 'Protects all endpoints; without it `enable` protects nothing.',
    }),
    username: Type.Optional(username('The name of the Basic credentials and of the login.')),
    password: Type.Optional(
      Type.String({ minLength: 1, secret: true, description: 'The password to the name.' }),
    ),
    jwt_secret_key: Type.Optional(
      Type.String({
        minLength: 1,
        secret: true,
        description: 'Signs the tokens: at least 32 bytes of random text.',
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
      description: 'Gives a new refresh token with every refresh and refuses the spent one.',
    }),
    failed_logins_per_minute: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 100_000,
      description: 'Failed logins a minute from one address with one name, before 429.',
    }),
    users: Type.Array(UserOptions, { default: [], description: 'More users.' }),
    api_keys: Type.Array(ApiKeyOptions, { default: [], description: 'Keys for programs.' }),
    oidc: Type.Optional(OidcOptions),
    operators: Type.Array(
      Type.String({
        pattern: '^(user|key|oidc):.+$',
        expected: 'a caller such as user:ann, key:nightly-report or oidc:8f2c',
        description: 'One caller.',
      }),
      { default: [], description: 'Callers that may read what belongs to others, and erase callers.' },
    ),
  },
  { additionalProperties: false, default: {}, description: 'Who may call.' },
);

export type AuthenticationOptions = Static<typeof AuthenticationOptions>;

function username(description: string) {
  // Basic credentials end the name at the first colon.
  return Type.String({ pattern: '^[^:]+$', expected: 'a name without a colon', description });
}
