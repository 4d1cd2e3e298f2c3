/** The `local_sql_db` and `cloud_sql` blocks: the database that the SQL workflow queries. */
import { type Static, Type } from '@sinclair/typebox';

export const LocalSqlOptions = Type.Object(
  {
    database_path: Type.String({
      default: './.tmp/sample.duckdb',
      minLength: 1,
      path: true,
      description: 'The local database file.',
    }),
    seed_samples: Type.Optional(
      Type.Boolean({
        description:
          'Creates a sample database if the file does not exist; unset: only if database_path is the default.',
      }),
    ),
  },
  { additionalProperties: false, default: {}, description: 'The local SQL database.' },
);

export type LocalSqlOptions = Static<typeof LocalSqlOptions>;

export const CloudSqlOptions = Type.Object(
  {
    database_name: Type.Optional(
      Type.String({ minLength: 1, description: 'The database; with `skip`, the local database is used.' }),
    ),
    server_name: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The server's host name, with `:port` if it is not the default port.",
      }),
    ),
    driver: Type.Optional(
      Type.String({
        pattern: '^(postgres|mysql|mssql|.*SQL Server.*)$',
        expected: 'postgres, mysql, mssql or the ODBC name of SQL Server',
        description: 'The kind of database: postgres, mysql or mssql; ODBC names of SQL Server mean mssql.',
      }),
    ),
    connection_string: Type.Optional(
      Type.String({
        minLength: 1,
        secret: true,
        description: 'The URL of the database. Overrides server_name.',
      }),
    ),
    username: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The login name. You can also set the variable SQL_USERNAME.',
      }),
    ),
    password: Type.Optional(
      Type.String({
        minLength: 1,
        secret: true,
        description: 'The password of the login. You can also set the variable SQL_PASSWORD.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'A database server, instead of the local database (experimental).',
  },
);

export type CloudSqlOptions = Static<typeof CloudSqlOptions>;
