/** Compares the types of two clients of the same routes, method by method. */

/** The paths whose calls have different arguments or results; `never` if all are equal. */
export type Differing<Routes, One, Other, Path extends string = ''> = {
  [Key in keyof Routes & string]: Key extends `:${string}`
    ? One extends (params: infer OneParams) => infer OneNext
      ? Other extends (params: infer OtherParams) => infer OtherNext
        ? Same<OneParams, OtherParams> extends true
          ? Differing<Routes[Key], OneNext, OtherNext, `${Path}/${Key}`>
          : `${Path}/${Key}`
        : `${Path}/${Key}`
      : `${Path}/${Key}`
    : One extends { [K in Key]: infer OneNext }
      ? Other extends { [K in Key]: infer OtherNext }
        ? Routes[Key] extends { response: unknown }
          ? SameCall<OneNext, OtherNext> extends true
            ? never
            : `${Path} ${Key}`
          : Differing<Routes[Key], OneNext, OtherNext, `${Path}/${Key}`>
        : `${Path}/${Key}`
      : `${Path}/${Key}`;
}[keyof Routes & string];

type SameCall<One, Other> = One extends (...args: infer OneGiven) => Promise<infer OneAnswer>
  ? Other extends (...args: infer OtherGiven) => Promise<infer OtherAnswer>
    ? [Same<OneGiven, OtherGiven>, Same<OneAnswer, OtherAnswer>] extends [true, true]
      ? true
      : false
    : false
  : false;

/** Whether two types are identical after their intersections are flattened. `any` equals only `any`. */
export type Same<One, Other> =
  (<T>() => T extends Plain<One> ? 1 : 2) extends <T>() => T extends Plain<Other> ? 1 : 2 ? true : false;

type Plain<T> = T extends Response | Headers
  ? T
  : T extends (...args: infer Given) => infer Result
    ? { given: Plain<Given>; result: Plain<Result> }
    : T extends object
      ? // The platform defines the type of `fetch`, which refers to half of the platform's types.
        { [K in keyof T]: K extends 'fetch' ? T[K] : Plain<T[K]> }
      : T;
