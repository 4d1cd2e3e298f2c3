/** LangGraph Studio for this service: the page's address, and the setting that lets it call. */
import { loadSettings } from '../../../settings/load.ts';

const ORIGIN = 'https://smith.langchain.com';

export interface LangGraphStudio {
  /** To open in a browser. */
  address: string;
  /** Environment variables for the service, in addition to its own. */
  env: Record<string, string>;
}

/** `load` selects the settings of the service. Throws CONFIGURATION_ERROR. */
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
