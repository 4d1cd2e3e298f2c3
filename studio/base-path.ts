/** The path below which the service is served, as the page says; empty: none. */
export const BASE_PATH = document.querySelector<HTMLMetaElement>('meta[name="skein-base"]')?.content ?? '';
