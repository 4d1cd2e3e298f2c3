/** Style sheets are bundled: importing one gives nothing. */
declare module '*.css';

/** The service's own sources are checked along, as the client's types come from them; workers of its platform have these. */
interface Worker {
  ref(): void;
  unref(): void;
}
