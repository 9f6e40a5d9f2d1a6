import type { ServiceError } from '@grpc/grpc-js'

export type CallKind = 'append' | 'read' | 'subscription'

type Call = {
  end(): unknown
  emit(event: 'error', error: Error): boolean
  on(event: 'cancelled' | 'finish' | 'error' | 'close', listener: () => void): unknown
}

export type OpenCalls = ReturnType<typeof openCalls>

/** The streaming calls that are open now, so that tests can count them, end them and break them. */
export const openCalls = () => {
  const calls: Record<CallKind, Set<Call>> = { append: new Set(), read: new Set(), subscription: new Set() }
  return {
    /** Answers whether the call is over. */
    add: (kind: CallKind, call: Call): (() => boolean) => {
      const forget = () => void calls[kind].delete(call)
      calls[kind].add(call)
      for (const event of ['cancelled', 'finish', 'error', 'close'] as const) call.on(event, forget)
      return () => !calls[kind].has(call)
    },
    count: (kind: CallKind): number => calls[kind].size,
    /** Ends the calls as a server does that has nothing more to send. */
    end: (kind: CallKind): void => {
      for (const call of [...calls[kind]]) {
        calls[kind].delete(call)
        call.end()
      }
    },
    fail: (kind: CallKind, error: ServiceError): void => {
      for (const call of [...calls[kind]]) {
        calls[kind].delete(call)
        call.emit('error', error)
      }
    },
  }
}
