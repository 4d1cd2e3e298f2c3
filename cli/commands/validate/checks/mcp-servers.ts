/** Whether each configured MCP server is usable: starts it, lists its tools, and stops it. */
import packageJson from '../../../../package.json';
import type { LoadedSettings } from '../../../../settings/load.ts';
import { SkeinError } from '../../../../state/errors.ts';
import { openMcpServers } from '../../../../tools/mcp/servers.ts';
import { type Check, failure, ok, warning } from '../../../service/checks/check.ts';

const ROW = 'MCP server';
const WITHIN_MS = 30_000;
const SILENT = { info: () => {}, warn: () => {} };

/** One row per server. */
export async function mcpServerChecks({ settings, projectFolder }: LoadedSettings): Promise<Check[]> {
  const { mcp_servers: options } = settings;
  const servers = openMcpServers({
    options,
    folder: projectFolder,
    version: packageJson.version,
    log: SILENT,
  });
  const signal = AbortSignal.timeout(WITHIN_MS);
  const check = async (server: string): Promise<Check> => {
    try {
      const tools = await servers.tools(server, signal);
      if (tools.length === 0) return warning(ROW, `${server}: it has no tools`);
      return ok(ROW, `${server}: ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`);
    } catch (error) {
      if (signal.aborted) return failed(server, `no answer within ${WITHIN_MS / 1_000} s`);
      if (!(error instanceof SkeinError)) throw error;
      return failed(server, (error.detail ?? error.message).replace(`mcp_servers.${server}: `, ''));
    }
  };
  try {
    return await Promise.all(Object.keys(options).map(check));
  } finally {
    await servers.close();
  }
}

function failed(server: string, reason: string): Check {
  return failure(ROW, `${server}: ${reason}`, `start it by hand to see why, or fix mcp_servers.${server}`);
}
