export async function dbCommand(_: string[]): Promise<number> {
  return 0;
}
