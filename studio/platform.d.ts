/** The bundler handles stylesheets: importing one returns nothing. */
declare module '*.css';

/** The client's types come from the service's sources, which are checked too and call these methods of workers. */
interface Worker {
  ref(): void;
  unref(): void;
}
