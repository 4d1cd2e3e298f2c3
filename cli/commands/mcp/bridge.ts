/** Forwards the messages of one transport to a service, each request separately, and the answers back. */
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  SdkHttpError,
  type StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';

/** Resolves when the client has disconnected; its pending requests are cancelled. */
export async function bridge(client: Transport, service: StreamableHTTPClientTransport): Promise<void> {
  const open = new Map<RequestId, AbortController>();
  const initializing = new Set<RequestId>();
  const disconnected = Promise.withResolvers<void>();
  const answer = (message: JSONRPCMessage) => client.send(message).catch(disconnected.resolve);

  function refuse(id: RequestId, error: unknown): void {
    if (open.delete(id)) void answer({ jsonrpc: '2.0', id, error: errorOf(error) });
  }

  async function request(message: JSONRPCMessage & { id: RequestId }): Promise<void> {
    const { id } = message;
    const cancelling = new AbortController();
    open.set(id, cancelling);
    if (isInitializeRequest(message)) initializing.add(id);
    const onRequestStreamEnd = () => refuse(id, new Error('the connection to the service was lost'));
    await service
      .send(message, { requestSignal: cancelling.signal, onRequestStreamEnd })
      .catch((error) => refuse(id, error));
  }

  client.onmessage = (message) => {
    if (isJSONRPCRequest(message)) return void request(message);
    // Over HTTP, closing the connection cancels a request.
    const cancelled = cancelledBy(message);
    if (cancelled === undefined) return void service.send(message).catch(() => {});
    open.get(cancelled)?.abort();
    open.delete(cancelled);
  };
  service.onmessage = (message) => {
    if (isJSONRPCResultResponse(message) && initializing.delete(message.id))
      service.setProtocolVersion(String(message.result.protocolVersion));
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message))
      if (message.id === undefined || !open.delete(message.id)) return;
    void answer(message);
  };
  client.onclose = disconnected.resolve;
  await service.start();
  await client.start();
  await disconnected.promise;
  for (const cancelling of open.values()) cancelling.abort();
  await service.close();
}

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return undefined;
  return (message.params as { requestId?: RequestId } | undefined)?.requestId;
}

interface RpcError {
  code: number;
  message: string;
  data?: unknown;
}

/** The service's own error, if it returned one. */
function errorOf(error: unknown): RpcError {
  const text = error instanceof SdkHttpError ? error.data.text : '';
  return rpcErrorIn(String(text)) ?? { code: -32000, message: (error as Error).message };
}

function rpcErrorIn(text: string): RpcError | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: RpcError };
    return error && { code: error.code, message: error.message, data: error.data };
  } catch {
    return undefined;
  }
}
