/** Distinguishes failures of a statement from those of the server, in messages that are safe to show. */
import { SkeinError } from '../../../state/errors.ts';
import { SqlError } from '../engine.ts';
import type { Target } from './target.ts';

const MAX_REASON = 600;

interface ServerError {
  code: string;
  /** PostgreSQL's SQLSTATE, or the error number of MySQL or SQL Server. */
  number: string;
  message: string;
}

/**
 * SQLSTATE classes 08 and 28, 3D000, 53200, 53300, 57P0x; error numbers of MySQL; those of SQL Server about the login and the
 * database.
 */
const CONNECTION = /^(08...|28...|3D000|53[23]00|57P0.|104[0459]|1129|1130|1053|1927|4060|18456|ELOGIN)$/;
const TIMEOUT = /^(57014|3024|1969|1317|ETIMEOUT)$/;

/**
 * Converts an error to DATABASE_CONNECTION_FAILED, or to a SqlError if the statement caused it. The service's own errors are
 * returned unchanged.
 */
export function failureOf(error: unknown, target: Target, seconds: number): Error {
  if (error instanceof SkeinError || error instanceof SqlError) return error;
  const { code, number, message } = partsOf(error);
  if (TIMEOUT.test(number) || TIMEOUT.test(code)) return timeoutError(seconds);
  if (CONNECTION.test(number) || CONNECTION.test(code) || !isStatements(code, number))
    return new SkeinError('DATABASE_CONNECTION_FAILED', { detail: detailOf(code, number) });
  return new SqlError({ kind: 'failed', reason: speakable(message, target) });
}

export function timeoutError(seconds: number): SqlError {
  const reason = `The statement took longer than ${seconds} s: simplify it so that it reads or joins less`;
  return new SqlError({ kind: 'timeout', reason });
}

export function unreachable(detail = 'The database server cannot be reached'): SkeinError {
  return new SkeinError('DATABASE_CONNECTION_FAILED', { detail });
}

/** Whether the statement caused the error. These are the codes of Bun and mssql for errors that the server reports. */
function isStatements(code: string, number: string): boolean {
  return number !== '' && /^(ERR_(POSTGRES|MYSQL)_(SERVER_ERROR|SYNTAX_ERROR)|EREQUEST)$/.test(code);
}

function detailOf(code: string, number: string): string {
  if (/^(28...|1045|18456)$/.test(number) || code === 'ELOGIN')
    return 'The server rejects the login or its password';
  if (/^(3D000|1044|1049|4060)$/.test(number)) return 'The server has no such database for this login';
  if (/TLS|SSL/.test(code)) return 'The encryption that the settings require is not available';
  if (/^(1040|53300|1129|1130)$/.test(number)) return 'The server accepts no more connections from here';
  if (/AUTH|PASSWORD|SASL/.test(code)) {
    // Bun reports the same for a MySQL server without encryption.
    return 'The login failed, or the encryption that the settings require is not available';
  }
  return 'The database server cannot be reached, or closed the connection';
}

function partsOf(error: unknown): ServerError {
  const { code, errno, number, message } = (error ?? {}) as Record<string, unknown>;
  return {
    code: String(code ?? ''),
    number: String(errno ?? number ?? ''),
    message: typeof message === 'string' ? message : '',
  };
}

/** Removes values of the settings, which the server may repeat, and limits the length. */
function speakable(message: string, target: Target): string {
  let text = message;
  const { password, hostname, username, connectionString } = target;
  for (const secret of [connectionString, password, hostname, username])
    if (secret && secret.length > 2) text = text.replaceAll(secret, '…');
  return text.length <= MAX_REASON ? text : `${text.slice(0, MAX_REASON).toWellFormed()}…`;
}
