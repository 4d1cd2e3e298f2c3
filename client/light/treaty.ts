/** The types of Eden Treaty for a plain tree of routes, without the types of Eden and Elysia. */

interface Route {
  body: unknown;
  headers: unknown;
  params: unknown;
  query: unknown;
  response: object;
}

/** A tree of routes as a client: `/a/:id` is `client.a({ id })`, and its methods are functions. */
export type Treaty<Routes> = Segments<Routes> & Parameter<Routes>;

type Segments<Routes> = {
  [Name in keyof Routes as Name extends `:${string}` ? never : Name]: (Routes[Name] extends Route
    ? Call<Name, Routes[Name]>
    : Treaty<Routes[Name]>) & { '~path': string };
};

type Parameter<Routes> = keyof Routes & `:${string}` extends infer Key extends keyof Routes
  ? [Key] extends [never]
    ? unknown
    : (
        params: Record<Key extends `:${infer Name}` ? Name : never, string | number>,
      ) => Treaty<Routes[Key]> & { '~path': string }
  : never;

type Call<Method, One extends Route> = Method extends 'get' | 'head'
  ? (...options: Argument<CallOptions<One>>) => Promise<Answer<One['response']>>
  : (...bodyAndOptions: Sent<One['body'], CallOptions<One>>) => Promise<Answer<One['response']>>;

type Argument<Options> = Empty extends Options ? [options?: Options] : [options: Options];

type Sent<Body, Options> = Empty extends Options
  ? Empty extends Exclude<Body, undefined>
    ? [body?: Body, options?: Options]
    : [body: Body, options?: Options]
  : [body: Body, options: Options];

type CallOptions<One extends Route> = Flat<
  {
    /** Passed on to `fetch`. */
    fetch?: RequestInit;
    /** Throws an error for an error response instead of returning it. */
    throwHttpError?: boolean | ((error: Error & { status: number; value: unknown }) => boolean);
  } & Given<'headers', One['headers']> &
    Given<'query', One['query']>
>;

/** Required if any of its properties is required. */
type Given<Key extends string, Value> = unknown extends Value
  ? { [K in Key]?: Record<string, unknown> }
  : Empty extends Value
    ? { [K in Key]?: Value }
    : { [K in Key]: Value };

/** Extends every type that requires no property. */
type Empty = Record<never, never>;

type Flat<T> = { [K in keyof T]: T[K] } & {};

type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;

/** `error` is null after a success; otherwise `data` is null. */
export type Answer<Responses> =
  | Answered<Result<Responses, keyof Responses & Success>, null>
  | Answered<null, Failure<Responses>>;

interface Answered<Data, Failed> {
  data: Data;
  error: Failed;
  response: Response;
  status: number;
  headers: ResponseInit['headers'];
}

type Result<Responses, Status extends keyof Responses> = [Status] extends [never]
  ? unknown
  : Responses[Status];

type Failure<Responses> =
  Exclude<keyof Responses, Success> extends never
    ? { status: unknown; value: unknown }
    : { [Status in keyof Responses]: { status: Status; value: Responses[Status] } }[Exclude<
        keyof Responses,
        Success
      >];
