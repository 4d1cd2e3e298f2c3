/** The name of the built-in model. */
export const OFFLINE_MODEL = 'skein-offline';
