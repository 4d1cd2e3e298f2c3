/** `bun run docs`: writes the pages of docs/ that are made of schemas. */
import { join } from 'node:path';
import { commandsPage } from './commands.ts';
import { errorsPage } from './errors.ts';
import { eventsPage } from './events.ts';
import { routesPage } from './routes.ts';
import { settingsPage } from './settings.ts';

/** File names with their texts. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    'commands.md': commandsPage(),
    'errors.md': errorsPage(),
    'events.md': eventsPage(),
    'http.md': await routesPage(),
    'settings.md': settingsPage(),
  };
}

if (import.meta.main)
  for (const [name, text] of Object.entries(await referencePages()))
    await Bun.write(join(import.meta.dir, '..', name), text);
