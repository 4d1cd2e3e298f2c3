/**
 * Audits a database from inside: triggers see which server makes each write of a run, by its database user, and record
 * those that it has no right to. Independent of the checks in the driver's functions.
 */
import { SQL } from 'bun';
import { openPostgres } from '../../state/postgres/open.ts';

interface Violation {
  what: string;
  role: string;
  run_id: string;
  detail: string;
}

export interface WriteAudit {
  sql: SQL;
  /** Returns the address for a server with this name. */
  urlOf(name: string): Promise<string>;
  violations(): Promise<Violation[]>;
  /** Drops the roles of the servers. Call it after the database is removed. */
  close(): Promise<void>;
}

const TRIGGERS = `
  CREATE SCHEMA audit;
  CREATE TABLE audit.servers (id text PRIMARY KEY, role text NOT NULL, joined timestamptz NOT NULL DEFAULT clock_timestamp());
  CREATE TABLE audit.violations (
    at timestamptz NOT NULL DEFAULT clock_timestamp(), what text, role text, run_id text, detail text
  );
  CREATE TABLE audit.claims (
    at timestamptz NOT NULL DEFAULT clock_timestamp(), run_id text, role text, before text, lease integer
  );

  CREATE FUNCTION audit.joined() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO audit.servers (id, role) VALUES (NEW.id, session_user) ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER joined AFTER INSERT ON skein.servers FOR EACH ROW EXECUTE FUNCTION audit.joined();

  -- A write for a run that its server had when the transaction began, and nobody else has had since.
  CREATE FUNCTION audit.check(r skein.runs, what text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    owner text;
    until timestamptz;
  BEGIN
    IF r.run_id IS NULL OR r.server IS NULL THEN RETURN; END IF;
    SELECT role INTO owner FROM audit.servers WHERE id = r.server;
    SELECT alive_until INTO until FROM skein.servers WHERE id = r.server;
    IF owner IS DISTINCT FROM session_user::text OR until <= transaction_timestamp() THEN
      INSERT INTO audit.violations (what, role, run_id, detail)
      VALUES (what, session_user, r.run_id, format('%s of %s, alive until %s, lease %s, %s, begun %s',
        r.server, owner, until, r.lease, r.status, transaction_timestamp()));
    END IF;
  END $$;

  CREATE FUNCTION audit.wrote() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    r skein.runs;
    text_key text := CASE WHEN TG_TABLE_NAME = 'events' THEN skein.key_of((to_jsonb(NEW) ->> 'thread')::bigint)
      ELSE to_jsonb(NEW) ->> 'thread' END;
    run text := to_jsonb(NEW) ->> 'run_id';
  BEGIN
    IF TG_TABLE_NAME = 'events' THEN
      SELECT * INTO r FROM skein.runs WHERE run_id = run;
    ELSE
      -- A thread has one run at most that writes checkpoints.
      SELECT * INTO r FROM skein.runs WHERE skein.key_of(thread) = text_key AND thread = text_key::bigint
        AND finished_at IS NULL AND status = 'running';
    END IF;
    PERFORM audit.check(r, TG_TABLE_NAME);
    IF r.finished_at IS NOT NULL THEN
      INSERT INTO audit.violations (what, role, run_id, detail)
      VALUES (TG_TABLE_NAME || ' after the end', session_user, r.run_id, r.status);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER wrote AFTER INSERT OR UPDATE ON skein.events FOR EACH ROW EXECUTE FUNCTION audit.wrote();
  CREATE TRIGGER wrote AFTER INSERT OR UPDATE ON skein.checkpoints FOR EACH ROW EXECUTE FUNCTION audit.wrote();
  CREATE TRIGGER wrote AFTER INSERT OR UPDATE ON skein.checkpoint_writes FOR EACH ROW EXECUTE FUNCTION audit.wrote();

  CREATE FUNCTION audit.changed() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.server IS DISTINCT FROM OLD.server AND NEW.server IS NOT NULL THEN
      INSERT INTO audit.claims (run_id, role, before, lease)
      VALUES (NEW.run_id, session_user, (SELECT role FROM audit.servers WHERE id = OLD.server), NEW.lease);
      PERFORM audit.check(NEW, 'claim');
      IF EXISTS (SELECT 1 FROM skein.servers WHERE id = OLD.server AND alive_until > clock_timestamp()) THEN
        INSERT INTO audit.violations (what, role, run_id, detail)
        VALUES ('claim of what a living server has', session_user, NEW.run_id, OLD.server);
      END IF;
    ELSIF (NEW.status, NEW.finished_at, NEW.result, NEW.error, NEW.agents, NEW.input_tokens, NEW.output_tokens)
      IS DISTINCT FROM (OLD.status, OLD.finished_at, OLD.result, OLD.error, OLD.agents, OLD.input_tokens, OLD.output_tokens)
    THEN
      IF OLD.finished_at IS NOT NULL AND NEW.status IS DISTINCT FROM OLD.status AND OLD.status <> 'interrupted' THEN
        INSERT INTO audit.violations (what, role, run_id, detail)
        VALUES ('change of an ended run', session_user, NEW.run_id, OLD.status || ' to ' || NEW.status);
      END IF;
      -- A run may be given back late, as long as nobody else has it.
      IF NEW.server IS NOT NULL AND OLD.finished_at IS NULL THEN PERFORM audit.check(OLD, 'run'); END IF;
    END IF;
    RETURN NULL;
  END $$;
  CREATE FUNCTION audit.accepted() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.server IS NOT NULL THEN
      INSERT INTO audit.claims (run_id, role, lease) VALUES (NEW.run_id, session_user, NEW.lease);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER accepted AFTER INSERT ON skein.runs FOR EACH ROW EXECUTE FUNCTION audit.accepted();
  CREATE TRIGGER changed AFTER UPDATE ON skein.runs FOR EACH ROW EXECUTE FUNCTION audit.changed();
`;

/** For an empty database, before the first server starts. */
export async function auditWrites(url: string): Promise<WriteAudit> {
  const state = await openPostgres({ url, poolSize: 1, leaseSeconds: 1, checkpointsPerThread: 20 });
  await state.close();
  const sql = new SQL({ url, max: 2 });
  await sql.unsafe(TRIGGERS).simple();
  const database = new URL(url).pathname.slice(1);
  const roles: string[] = [];
  return {
    sql,
    async urlOf(name) {
      const role = `${database}_${name.replace('-', '_')}`;
      await sql.unsafe(`CREATE ROLE ${role} SUPERUSER LOGIN`);
      roles.push(role);
      const own = new URL(url);
      own.username = role;
      return own.href;
    },
    violations: () => sql`SELECT what, role, run_id, detail FROM audit.violations ORDER BY at`,
    async close() {
      await sql.close({ timeout: 0 });
      const server = new SQL({ url: new URL('/postgres', url).href, max: 1 });
      for (const role of roles) await server.unsafe(`DROP ROLE ${role}`);
      await server.close({ timeout: 0 });
    },
  };
}
