/** The advanced options of a turn: context, configuration, breakpoints and recursion limit. */
import { type Ref, useImperativeHandle, useRef, useState } from 'react';
import type { Workflow } from '../../data/workflows.ts';
import type { RefusedValue, SchemaInputHandle } from '../../parts/schema-form/schema-input.tsx';
import { SchemaInput } from '../../parts/schema-form/schema-input.tsx';
import type { TurnRequest } from '../conversation/turn-request.ts';

export interface AdvancedHandle {
  /** Returns the options for the request. If one is invalid, shows the problem and returns undefined. */
  read(): TurnRequest | undefined;
}

interface AdvancedFieldsProps {
  ref: Ref<AdvancedHandle>;
  entry: Workflow | undefined;
  isOpen: boolean;
  refused: RefusedValue | undefined;
  /** Reports whether any option is set. */
  setUsed(isUsed: boolean): void;
}

const EMPTY = { context: '', configurable: '', interruptBefore: '', recursionLimit: '' };

export function AdvancedFields({ ref, entry, isOpen, refused, setUsed }: AdvancedFieldsProps) {
  const [text, setText] = useState(EMPTY);
  const context = useRef<SchemaInputHandle>(null);
  const configurable = useRef<SchemaInputHandle>(null);

  function change(part: Partial<typeof EMPTY>) {
    const next = { ...text, ...part };
    setText(next);
    setUsed(Object.values(next).some((one) => one.trim() !== ''));
  }
  useImperativeHandle(ref, () => ({
    read() {
      const [inContext, configured] = [context.current?.read(), configurable.current?.read()];
      if (!inContext || !configured) return undefined;
      return {
        ...(inContext.value !== undefined && { context: inContext.value as Record<string, unknown> }),
        ...(configured.value !== undefined && { configurable: configured.value as Record<string, unknown> }),
        ...stopsIn(text.interruptBefore),
        ...(text.recursionLimit !== '' && { recursion_limit: Number(text.recursionLimit) }),
      };
    },
  }));
  return (
    <fieldset className="advanced" aria-label="Advanced" hidden={!isOpen}>
      <SchemaInput
        key={entry?.workflow}
        ref={context}
        label="context"
        schema={entry?.context_schema}
        optional
        mustBeObject
        saveDraft={(typed) => change({ context: typed })}
        refused={refused}
      />
      <SchemaInput
        ref={configurable}
        label="configurable"
        schema={undefined}
        optional
        mustBeObject
        saveDraft={(typed) => change({ configurable: typed })}
      />
      <label className="labelled">
        <code>interrupt_before</code>
        <input
          className="field mono"
          placeholder="Node names, or *"
          value={text.interruptBefore}
          onChange={(event) => change({ interruptBefore: event.target.value })}
        />
      </label>
      <label className="labelled">
        <code>recursion_limit</code>
        <input
          className="field mono"
          type="number"
          min={1}
          placeholder="Graph default"
          value={text.recursionLimit}
          onChange={(event) => change({ recursionLimit: event.target.value })}
        />
      </label>
    </fieldset>
  );
}

function stopsIn(text: string): TurnRequest {
  const nodes = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (nodes.length === 0) return {};
  return { interrupt_before: nodes.includes('*') ? '*' : nodes };
}
