/** The certificate and the key of an HTTPS server, looked at before it begins to serve. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { configurationError } from '../state/errors.ts';
import type { WebOptions } from './options.ts';

type TlsOptions = NonNullable<WebOptions['tls']>;

/** Both as PEM texts. Throws CONFIGURATION_ERROR, naming the one of the two that cannot be used. */
export function readTls(paths: TlsOptions): TlsOptions {
  const cert = readPem('cert', paths.cert);
  const key = readPem('key', paths.key);
  const certificate = parsed('cert', 'a certificate', () => new X509Certificate(cert));
  const privateKey: KeyObject = parsed('key', 'a private key without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) throw tlsError('key', 'expected the key of the certificate');
  return { cert, key };
}

function readPem(field: keyof TlsOptions, path: string): string {
  try {
    // Editors of some systems begin a file with a mark of its encoding.
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
    throw tlsError(field, `expected ${expected}, as PEM`);
  }
}

function tlsError(field: keyof TlsOptions, reason: string) {
  return configurationError(`web_configuration.tls.${field}`, reason);
}
