/** The files in deploy/, checked against the settings' schema and the service's ports and paths. */
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../settings/load.ts';

const FOLDER = join(import.meta.dir, '../../deploy');
const PORT = 8080;
const DRAIN_SECONDS = 25;
const LAME_DUCK_SECONDS = 5;

type Environment = Record<string, string>;

const read = (name: string) => Bun.file(join(FOLDER, name)).text();

/** The settings with these variables. Throws if a variable belongs to no setting. */
function settingsUnder(env: Environment) {
  const folder = mkdtempSync(join(tmpdir(), 'skein-deploy-'));
  try {
    writeFileSync(join(folder, 'config.yml'), '');
    const loaded = loadSettings({ cwd: folder, env, flags: { config: join(folder, 'config.yml') } });
    expect(loaded.warnings).toEqual([]);
    return loaded.settings;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Compose {
  services: Record<
    string,
    { environment?: Environment; stop_grace_period?: string; healthcheck?: { test: string[] } }
  >;
}

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?why}` as Compose does. */
function interpolated(text: string): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, how?: string, rest = '') =>
    how === '-' ? rest : `${name.toLowerCase()}-`.repeat(4),
  );
}

describe('compose.yml', async () => {
  const { services } = Bun.YAML.parse(interpolated(await read('compose.yml'))) as Compose;
  const ours = ['server-1', 'server-2', 'worker'].map((name) => [name, services[name]] as const);

  test.each(ours)(
    '%s only has existing settings, uses the shared database, and has time to drain',
    (name, service) => {
      const settings = settingsUnder(service?.environment ?? {});
      expect(settings.web_configuration.port).toBe(PORT);
      expect(settings.chat_history.database_type).toBe('postgresql');
      expect(settings.prompts.storage).toBe('postgresql');
      expect(settings.cluster.role).toBe(name === 'worker' ? 'worker' : 'all');
      expect(settings.web_configuration.authentication.enable).toBe(true);
      const grace = Number.parseInt(service?.stop_grace_period ?? '', 10);
      expect(settings.web_configuration.lame_duck_seconds).toBe(LAME_DUCK_SECONDS);
      expect(grace).toBeGreaterThan(LAME_DUCK_SECONDS + DRAIN_SECONDS + 5);
    },
  );

  test.each(ours)('the readiness of %s is checked at /readyz', (_, service) => {
    expect(service?.healthcheck?.test.join(' ')).toContain(`127.0.0.1:${PORT}/readyz`);
  });

  test('the proxy lists the servers that accept requests', async () => {
    const upstreams = [...(await read('nginx.conf')).matchAll(/^\s*server (\S+):(\d+) /gm)];
    expect(upstreams.map(([, name, port]) => [name, Number(port)])).toEqual([
      ['server-1', PORT],
      ['server-2', PORT],
    ]);
  });
});

interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Environment;
  stringData?: Environment;
  spec: { selector: unknown; template: { metadata: { labels: Environment }; spec: Pod }; ports: Port[] };
}

interface Pod {
  terminationGracePeriodSeconds: number;
  containers: Container[];
}

type Port = { name: string; containerPort?: number; targetPort?: string };

interface Container {
  env: { name: string; value: string }[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports: Port[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe;
}

interface Probe {
  httpGet: { path: string; port: string };
}

describe('kubernetes.yml', async () => {
  const all = Bun.YAML.parse(await read('kubernetes.yml')) as Manifest[];
  const of = (kind: string) => all.filter((one) => one.kind === kind);
  const named = (kind: string, name = '') => of(kind).find(({ metadata }) => metadata.name === name);
  const deployments = of('Deployment').map((one) => [one.spec.template.metadata.labels.role, one] as const);

  function containerOf({ spec }: Manifest): Container {
    const [container] = spec.template.spec.containers;
    if (!container) throw new Error('a pod without a container');
    return container;
  }

  test('it deploys fronts and workers', () => {
    expect(deployments.map(([role]) => role)).toEqual(['front', 'worker']);
  });

  test.each(deployments)(
    'a %s only has existing settings and uses the shared database',
    (role, deployment) => {
      const { env, envFrom } = containerOf(deployment);
      const from = envFrom.flatMap(({ configMapRef, secretRef }) => [
        ...Object.entries(named('ConfigMap', configMapRef?.name)?.data ?? {}),
        ...Object.entries(named('Secret', secretRef?.name)?.stringData ?? {}),
      ]);
      const own = env.map(({ name, value }) => [name, value] as const);
      const settings = settingsUnder(Object.fromEntries([...from, ...own]));
      expect(settings.cluster.role === role).toBe(true);
      expect(settings.web_configuration.port).toBe(PORT);
      expect(settings.chat_history.database_type).toBe('postgresql');
      expect(settings.prompts.storage).toBe('postgresql');
      expect(settings.web_configuration.lame_duck_seconds).toBe(LAME_DUCK_SECONDS);
    },
  );

  test.each(deployments)('the probes of a %s use its port, and it has time to drain', (_, deployment) => {
    const { startupProbe, livenessProbe, readinessProbe, ports } = containerOf(deployment);
    expect(ports).toEqual([{ name: 'http', containerPort: PORT }]);
    expect(startupProbe.httpGet).toEqual({ path: '/livez', port: 'http' });
    expect(livenessProbe.httpGet).toEqual({ path: '/livez', port: 'http' });
    expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
    const { terminationGracePeriodSeconds: grace } = deployment.spec.template.spec;
    expect(grace).toBeGreaterThan(LAME_DUCK_SECONDS + DRAIN_SECONDS + 5);
  });

  test('the Service and the disruption budgets select existing pods', () => {
    const labels = deployments.map(([, { spec }]) => spec.template.metadata.labels);
    expect(deployments.map(([, { spec }]) => spec.selector)).toEqual(
      labels.map((matchLabels) => ({ matchLabels })),
    );
    expect(of('Service').map(({ spec }) => spec.selector)).toEqual([labels[0]]);
    expect(of('Service')[0]?.spec.ports[0]?.targetPort).toBe('http');
    expect(of('PodDisruptionBudget').map(({ spec }) => spec.selector)).toEqual(
      labels.map((matchLabels) => ({ matchLabels })),
    );
  });
});

const NGINX = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` });

test.skipIf(!NGINX)('nginx accepts its configuration', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-nginx-'));
  // The servers' names only resolve inside the Compose network, and port 80 may be in use.
  const text = (await read('nginx.conf'))
    .replaceAll(/server-\d:/g, '127.0.0.1:')
    .replace('listen 80', `listen unix:${folder}/socket`);
  writeFileSync(join(folder, 'nginx.conf'), `pid ${folder}/pid;\nerror_log stderr;\n${text}`);
  const child = Bun.spawn([NGINX ?? '', '-t', '-p', folder, '-c', 'nginx.conf'], { stderr: 'pipe' });
  const errors = await child.stderr.text();
  rmSync(folder, { recursive: true });
  expect(errors).toContain('test is successful');
});

describe('systemd/skein.service', async () => {
  const unit = await read('systemd/skein.service');
  const values = new Map(
    [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]),
  );

  test("it has time to drain, uses notifications, and reloads with the service's signal", () => {
    expect(values.get('Type')).toBe('notify');
    expect(values.get('ExecReload')).toBe('/bin/kill -HUP $MAINPID');
    expect(Number(values.get('TimeoutStopSec'))).toBeGreaterThan(LAME_DUCK_SECONDS + DRAIN_SECONDS + 5);
    // The exit code for invalid settings.
    expect(values.get('RestartPreventExitStatus')).toBe('2');
  });

  test('its variables are existing settings, including secrets in files', () => {
    const pairs = [...unit.matchAll(/^#?Environment=(.*)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '));
    const env = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
    const { LLM_PROVIDER_API_KEY_FILE: secret = '', ...rest } = env;
    expect(secret).toBe('%d/llm_provider_api_key');
    const settings = settingsUnder({ ...rest, LLM_PROVIDER_API_KEY_FILE: import.meta.path });
    expect(settings.web_configuration.port).toBe(PORT);
    expect(settings.models[0]?.api_key).toBeDefined();
  });

  const ANALYZE = Bun.which('systemd-analyze');
  test.skipIf(!ANALYZE)('systemd knows all of its keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-systemd-'));
    const path = join(folder, 'skein.service');
    // This machine has neither the user nor the program.
    writeFileSync(
      path,
      unit.replaceAll('/usr/local/bin/bun', process.execPath).replace('User=skein', 'User=daemon'),
    );
    const child = Bun.spawn([ANALYZE ?? '', 'verify', path], { stdout: 'pipe', stderr: 'pipe' });
    const [code, errors] = [await child.exited, await child.stderr.text()];
    rmSync(folder, { recursive: true });
    // systemd ignores unknown keys with a warning.
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });
});
