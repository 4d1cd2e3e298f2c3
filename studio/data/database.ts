/** The SQL database that workflows query. */
import { api, ask } from '../service/service.ts';

export const readTables = () => ask(api.database.tables.get());

export type Database = Awaited<ReturnType<typeof readTables>>;

export type Table = Database['tables'][number];
