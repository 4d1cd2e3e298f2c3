/** The bundler handles stylesheets. Their imports have no exports. */
declare module '*.css';

/**
 * The client's types refer to the service's sources, which are therefore also checked, and which call these methods of workers.
 */
interface Worker {
  ref(): void;
  unref(): void;
}
