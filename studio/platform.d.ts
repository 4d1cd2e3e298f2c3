/** The bundler handles stylesheets: importing one returns nothing. */
declare module '*.css';

/** The client's types come from the service's sources, which are checked too and use these methods of Bun's workers. */
interface Worker {
  ref(): void;
  unref(): void;
}
