/** docs/commands.md: the help of every command, as the command line prints it. */
import { COMMANDS, commandHelp, helpText } from '../../cli/commands/list.ts';
import { page } from './markdown.ts';

export function commandsPage(): string {
  const sections = Object.entries(COMMANDS).map(
    ([name, command]) => `## ${name}\n\n${block(commandHelp(command))}`,
  );
  return page('Commands', INTRODUCTION, block(helpText()), ...sections);
}

const INTRODUCTION = `What \`skein --help\` and \`skein COMMAND --help\` print. In a checkout and in a project, run
\`bun run skein COMMAND\`. [command-line.md](command-line.md) explains the commands with examples.`;

function block(text: string): string {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\``;
}
