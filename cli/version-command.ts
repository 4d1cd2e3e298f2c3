/** `skein version`. */
import packageJson from '../package.json';

export async function versionCommand(): Promise<number> {
  console.log(packageJson.version);
  return 0;
}
