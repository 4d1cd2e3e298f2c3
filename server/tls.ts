/** Reads and checks the certificate and the private key for HTTPS. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { configurationError } from '../state/errors.ts';
import type { WebOptions } from './options.ts';

type TlsOptions = NonNullable<WebOptions['tls']>;

/** Returns both files as PEM text. Throws CONFIGURATION_ERROR, naming the setting, if a file is missing or unusable. */
export function readTls(paths: TlsOptions): TlsOptions {
  const cert = readPem('cert', paths.cert);
  const key = readPem('key', paths.key);
  const certificate = parsed('cert', 'a certificate', () => new X509Certificate(cert));
  const privateKey: KeyObject = parsed('key', 'a private key without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw tlsError('key', 'the key does not match the certificate');
  return { cert, key };
}

function readPem(field: keyof TlsOptions, path: string): string {
  try {
    // Some editors write a byte order mark, which PEM parsers reject.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw tlsError(
      field,
      `the file cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`,
    );
  }
}

function parsed<T>(field: keyof TlsOptions, expected: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw tlsError(field, `expected ${expected} in PEM format`);
  }
}

function tlsError(field: keyof TlsOptions, reason: string) {
  return configurationError(`web_configuration.tls.${field}`, reason);
}
