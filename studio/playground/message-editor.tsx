/** The editor of a message: role, text or prompt file, and tool calls. */
import type { ReactNode } from 'react';
import { JsonField } from '../parts/json/json-field.tsx';
import type { JsonProblem } from '../parts/json/json-text.ts';
import { Link } from '../parts/link.tsx';
import { address } from '../routing/router.ts';
import { type EditedMessage, type EditedTemplate, ROLES, type Role } from './edited-call.ts';
import { TemplateFields } from './template-fields.tsx';

interface MessageEditorProps {
  message: EditedMessage;
  /** From 1. */
  number: number;
  problem: JsonProblem | undefined;
  change(message: EditedMessage): void;
  /** The buttons that move or remove the message. */
  children: ReactNode;
}

export function MessageEditor({ message, number, problem, change, children }: MessageEditorProps) {
  const { role, text, from, template, toolCalls, toolCallId } = message;
  const withTemplate = (changes: Partial<EditedTemplate>) =>
    template && change({ ...message, template: { ...template, ...changes } });
  return (
    <>
      <div className="row wrap">
        <select
          className="field"
          aria-label={`Role of message ${number}`}
          value={role}
          onChange={(event) => change({ ...message, role: event.target.value as Role })}
        >
          {ROLES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <span className="grow" />
        {children}
      </div>
      {template && (
        <TemplateFields
          template={template}
          number={number}
          change={withTemplate}
          editText={(sent) => change({ ...message, text: sent, template: { ...template, isSent: false } })}
        />
      )}
      {!template && from && (
        <p className="muted small">
          From <Link href={address(['prompts', from.revision, from.file])}>{from.file}</Link>. Its variables
          or its version are no longer available, so you can only edit the rendered text.
        </p>
      )}
      {!template?.isSent && (
        <textarea
          className="field growing"
          aria-label={`Text of message ${number}`}
          rows={2}
          value={text}
          onChange={(event) => change({ ...message, text: event.target.value })}
        />
      )}
      {role === 'assistant' && (toolCalls !== '' || problem) && (
        <JsonField
          label={`Tool calls of message ${number}`}
          rows={3}
          text={toolCalls}
          change={(typed) => change({ ...message, toolCalls: typed })}
          problem={problem}
        />
      )}
      {role === 'tool' && (
        <label className="labelled">
          Tool call id
          <input
            className="field mono"
            value={toolCallId}
            onChange={(event) => change({ ...message, toolCallId: event.target.value })}
          />
        </label>
      )}
    </>
  );
}
