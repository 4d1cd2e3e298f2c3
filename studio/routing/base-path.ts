/** The base path of the service, from the page's meta tag; empty if the service is at the root. */
export const BASE_PATH = document.querySelector<HTMLMetaElement>('meta[name="skein-base"]')?.content ?? '';
