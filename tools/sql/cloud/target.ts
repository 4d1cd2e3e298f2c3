/** Reads the server and the login from the settings. */
import { configurationError, type SkeinError } from '../../../state/errors.ts';
import type { CloudSqlOptions } from '../options.ts';

export interface Target {
  dialect: 'postgres' | 'mysql' | 'mssql';
  hostname: string;
  port: number;
  database: string;
  username: string;
  password: string;
  /** The complete connection string, if there is one. The client reads its other parameters. */
  connectionString: string | undefined;
}

const SCHEMES: Record<string, Target['dialect']> = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
  'mssql:': 'mssql',
  'sqlserver:': 'mssql',
};

const PORTS = { postgres: 5432, mysql: 3306, mssql: 1433 };

/** Throws CONFIGURATION_ERROR, which contains the path of the field, but never its value. */
export function targetOf(options: CloudSqlOptions): Target {
  const { connection_string: text, server_name: server } = options;
  if (text === undefined && server === undefined)
    throw missing('server_name', 'missing; set it or cloud_sql.connection_string');
  const url = text === undefined ? undefined : urlOf(text);
  const dialect = dialectOf(options.driver, url, text);
  if (text !== undefined && !url && dialect !== 'mssql')
    throw missing('connection_string', 'expected a URL such as postgres://host:5432/database');
  const target = url ? fromUrl(url, dialect, options) : fromFields(dialect, options);
  if (!target.username && !(text && !url)) throw missing('username', 'missing; set SQL_USERNAME');
  return { ...target, connectionString: text };
}

function dialectOf(driver: string | undefined, url: URL | undefined, text = ''): Target['dialect'] {
  if (driver === 'postgres' || driver === 'mysql' || driver === 'mssql') return driver;
  if (driver && /SQL Server/i.test(driver)) return 'mssql';
  const known = url && SCHEMES[url.protocol];
  if (known) return known;
  if (/(^|;)\s*driver\s*=\s*\{?[^;]*SQL Server/i.test(text)) return 'mssql';
  throw missing('driver', 'missing; set it to postgres, mysql or mssql');
}

type Fields = Omit<Target, 'connectionString'>;

function fromUrl(url: URL, dialect: Target['dialect'], options: CloudSqlOptions): Fields {
  return {
    dialect,
    hostname: decoded(url.hostname).replace(/^\[|\]$/g, ''),
    port: Number(url.port) || PORTS[dialect],
    database: decoded(url.pathname.slice(1)) || databaseOf(options),
    username: decoded(url.username) || (options.username ?? ''),
    password: decoded(url.password) || (options.password ?? ''),
  };
}

/** Also accepts the ODBC form with TCP and a port, `tcp:host,1433`. */
function fromFields(dialect: Target['dialect'], options: CloudSqlOptions): Fields {
  const server = (options.server_name ?? '').replace(/^tcp:/i, '');
  const [, bracketed, plain = '', port] = /^(?:\[(.+)\]|([^:,]+))(?:[:,](\d+))?$/.exec(server) ?? [];
  const hostname = bracketed ?? plain;
  if (!hostname && options.connection_string === undefined)
    throw missing('server_name', "expected a host name, with ':port' if it is not the default port");
  return {
    dialect,
    hostname,
    port: Number(port ?? PORTS[dialect]),
    database: options.connection_string === undefined ? databaseOf(options) : (options.database_name ?? ''),
    username: options.username ?? '',
    password: options.password ?? '',
  };
}

function databaseOf({ database_name: name }: CloudSqlOptions): string {
  if (name === undefined) throw missing('database_name', 'missing; name the database');
  return name;
}

/** Undefined for text that is not a URL. ODBC's `Driver={…};Server=…` must not be parsed as a URL that only has a scheme. */
function urlOf(text: string): URL | undefined {
  return /^[a-z]+:\/\//i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function missing(field: keyof CloudSqlOptions, reason: string): SkeinError {
  return configurationError(`cloud_sql.${field}`, reason);
}
