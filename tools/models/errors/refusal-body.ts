/** Converts rejections in the formats of FastAPI, Ollama, vLLM, Google and others to OpenAI's format. */

export interface RefusalBody {
  message?: string;
  code?: string;
  type?: string;
  param?: string;
}

export function refusalBody(text: string): RefusalBody {
  const sent = parsed(text);
  if (sent === undefined) return { message: text };
  const [first] = Array.isArray(sent) ? sent : [sent];
  const body = record(first);
  const error = record(body.error ?? body.detail ?? body);
  const message =
    [error.message, error.msg, body.error, body.detail, body.message].find(isText) ?? detailsOf(body.detail);
  const refusal = { message, code: error.code ?? error.status, type: error.type, param: error.param };
  return Object.fromEntries(Object.entries(refusal).filter(([, value]) => isText(value)));
}

/** FastAPI lists the errors of a request, each with its location. */
function detailsOf(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return undefined;
  const lines = detail.map((each) => {
    const { loc, msg } = record(each);
    return [Array.isArray(loc) ? loc.join('.') : '', msg].filter(isText).join(': ');
  });
  return lines.join('; ');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
