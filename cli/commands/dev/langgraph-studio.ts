/** LangGraph Studio over this service: the page's address, and the setting that lets it call. */
import { loadSettings } from '../../../settings/load.ts';

const ORIGIN = 'https://smith.langchain.com';

export interface LangGraphStudio {
  /** To be opened in a browser. */
  address: string;
  /** What the service must be started with, beside its own environment. */
  env: Record<string, string>;
}

/** `load` names the settings that the service is started with. Throws CONFIGURATION_ERROR. */
export function langgraphStudio(load: Parameters<typeof loadSettings>[0]): LangGraphStudio {
  const { cors_origins, port, tls } = loadSettings(load).settings.web_configuration;
  const origins = [...new Set([...cors_origins, ORIGIN])];
  const baseUrl = `${tls ? 'https' : 'http'}://localhost:${port}`;
  return {
    address: `${ORIGIN}/studio/?baseUrl=${encodeURIComponent(baseUrl)}`,
    env: Object.fromEntries(
      origins.map((origin, index) => [`SERVICE_WEB_CONFIGURATION__CORS_ORIGINS__${index}`, origin]),
    ),
  };
}
