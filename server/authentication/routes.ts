/** POST /auth/login, GET /auth/verify, POST /auth/refresh. */
import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Connections } from '../connection.ts';
import { errorResponses } from '../http/schemas/error-schema.ts';
import type { Authenticator } from './authenticator.ts';
import { callerOf } from './identity.ts';
import type { Operators } from './operators.ts';
import type { TokenPair } from './sessions.ts';

const LoginRequest = Type.Object(
  {
    username: Type.String({ maxLength: 1_000, description: 'The name of a configured user' }),
    password: Type.String({ maxLength: 1_000, description: 'The password of the user' }),
  },
  { title: 'LoginRequest', additionalProperties: true },
);

const RefreshRequest = Type.Object(
  {
    refresh_token: Type.String({
      maxLength: 10_000,
      description: 'The refresh token of a login or of an earlier refresh',
    }),
  },
  { title: 'RefreshRequest', additionalProperties: true },
);

const TokenBody = Type.Object(
  {
    access_token: Type.String({ description: 'The token for `Authorization: Bearer`' }),
    refresh_token: Type.String({ description: 'The token for the next refresh' }),
    token_type: Type.Literal('bearer', { description: 'Always bearer' }),
    expires_in: Type.Integer({ description: 'Seconds until the access token expires' }),
  },
  { title: 'TokenPair' },
);
type TokenBody = Static<typeof TokenBody>;

const Verified = Type.Object(
  {
    valid: Type.Literal(true, { description: 'Always true; invalid credentials get 401' }),
    username: Type.String({ description: 'The name of the user or the API key' }),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'null for credentials that do not expire',
    }),
    operator: Type.Optional(Type.Literal(true, { description: 'The caller may read the data of others' })),
  },
  { title: 'Verified' },
);

export const authRoutes = ({
  authenticator,
  operators,
  addressOf,
}: { authenticator: Authenticator; operators: Operators } & Pick<Connections, 'addressOf'>) =>
  new Elysia({ prefix: '/api/v1/auth', name: 'auth' })
    .post(
      '/login',
      async ({ body: { username, password }, request }) =>
        toBody(await authenticator.sessions().login({ address: addressOf(request), username, password })),
      {
        parse: 'json',
        body: LoginRequest,
        response: { 200: TokenBody },
        detail: {
          summary: 'Log in with a username and password',
          tags: ['auth'],
          responses: errorResponses(
            'INVALID_REQUEST',
            'INVALID_JSON',
            'UNAUTHORIZED',
            'RATE_LIMITED',
            'OVERLOADED',
          ),
        },
      },
    )
    .get(
      '/verify',
      ({ request }) => {
        const { owner, name, expiresAt } = callerOf(request);
        const expires = expiresAt === null ? null : new Date(expiresAt).toISOString();
        const operator = operators.includes(owner) ? { operator: true as const } : {};
        return { valid: true as const, username: name, expires_at: expires, ...operator };
      },
      {
        response: { 200: Verified },
        detail: {
          summary: 'Get the caller of the credentials and their expiry',
          tags: ['auth'],
          responses: errorResponses('UNAUTHORIZED', 'RATE_LIMITED'),
        },
      },
    )
    .post(
      '/refresh',
      async ({ body, request }) =>
        toBody(await authenticator.sessions().refresh(body.refresh_token, addressOf(request))),
      {
        parse: 'json',
        body: RefreshRequest,
        response: { 200: TokenBody },
        detail: {
          summary: 'Get a new access token for a refresh token',
          tags: ['auth'],
          responses: errorResponses('INVALID_REQUEST', 'INVALID_JSON', 'UNAUTHORIZED'),
        },
      },
    );

function toBody({ accessToken, refreshToken, expiresIn }: TokenPair): TokenBody {
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'bearer',
    expires_in: expiresIn,
  };
}
