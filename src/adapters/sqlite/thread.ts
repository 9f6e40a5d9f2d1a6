import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { LOG_START, type Position } from '../../ports/event-store.ts'
import { type Failure, type Notice, type Request, type Task, type ThreadAnswer, type ThreadOptions, toError } from './protocol.ts'

/** The thread that writes, as the main thread sees it. */
export type StoreThread = {
  /** Returns the result of a task. Requests of one turn of the event loop travel and are committed together. */
  readonly ask: <T>(task: Task) => Promise<T>
  /** Takes in every notice that the thread has sent so far, without waiting for a turn of the event loop. */
  readonly receive: () => void
  readonly close: () => Promise<void>
}

export type Listeners = {
  readonly onAppended: () => void
  /** Called before `onAppended` when another process appended. */
  readonly onAppendedElsewhere: () => void
  readonly onChanged: (notice: Extract<Notice, { notice: 'changed' }>) => void
  readonly onFlushed: (notice: Extract<Notice, { notice: 'flushed' }>) => void
  readonly onProjected: (notice: Extract<Notice, { notice: 'projected' }>) => void
  readonly onStalled: (notice: Extract<Notice, { notice: 'stalled' }>) => void
  readonly onRecovered: () => void
}

type Pending = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }

/** MiB for short-lived objects: the thread creates few, and twice as much memory would stay unused. */
const YOUNG_GENERATION_MEBIBYTES = 12

const ENTRY = new URL('./store-thread.ts', import.meta.url)

/** Starts the thread. Resolves when it has opened the file, and rejects with the fault if it cannot. */
export const startThread = (options: Omit<ThreadOptions, 'notices' | 'sent'>, listeners: Listeners): Promise<StoreThread> => {
  const { port1: port, port2: notices } = new MessageChannel()
  const sent = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const worker = new Worker(ENTRY, {
    workerData: { ...options, notices, sent } satisfies ThreadOptions,
    transferList: [notices],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MEBIBYTES },
  })
  const pending = new Map<number, Pending>()
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  let outbox: Request[] = []
  let calls = 0
  let closing = false
  let dead: Error | undefined

  const settle = (answer: ThreadAnswer): void => {
    const call = pending.get(answer.call)
    pending.delete(answer.call)
    if ('failure' in answer) call?.reject(toError(answer.failure))
    else call?.resolve(answer.value)
  }

  const send = (): void => {
    if (outbox.length > 0 && !dead) worker.postMessage(outbox)
    outbox = []
  }

  const ask = <T>(task: Task): Promise<T> =>
    new Promise((resolve, reject) => {
      if (dead || closing) return reject(dead ?? new Error('the store is closed'))
      const call = ++calls
      pending.set(call, { resolve: resolve as Pending['resolve'], reject })
      if (outbox.length === 0) setImmediate(send)
      outbox.push({ call, task })
    })

  const die = (error: Error): void => {
    if (dead) return
    dead = error
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }

  const close = async (): Promise<void> => {
    if (!closing && !dead) {
      const closed = ask<void>({ task: 'close' })
      closing = true
      await closed
    }
    await exited
  }

  return new Promise((resolve, reject) => {
    let ready = false
    let received = 0

    const handleNotice = (notice: Notice): void => {
      switch (notice.notice) {
        case 'ready':
          ready = true
          resolve({ ask, receive, close })
          break
        case 'built':
          closing = true
          resolve(exited.then(() => startThread(options, listeners)))
          break
        case 'refused':
          reject(toError(notice.failure))
          break
        case 'answers':
          if (notice.appended && notice.answers.length === 0) listeners.onAppendedElsewhere()
          if (notice.appended) listeners.onAppended()
          for (const one of notice.answers) settle(one)
          break
        case 'changed':
          listeners.onChanged(notice)
          break
        case 'flushed':
          listeners.onFlushed(notice)
          break
        case 'projected':
          listeners.onProjected(notice)
          break
        case 'stalled':
          listeners.onStalled(notice)
          break
        case 'recovered':
          listeners.onRecovered()
      }
    }
    const take = (all: readonly Notice[]): void => {
      received = (received + 1) | 0 // as the counter overflows
      for (const notice of all) handleNotice(notice)
    }
    const receive = (): void => {
      if (Atomics.load(sent, 0) === received) return
      for (let message = receiveMessageOnPort(port); message; message = receiveMessageOnPort(port)) take(message.message)
    }
    port.on('message', take)

    const fail = (error: Error): void => {
      reject(error)
      die(error)
      // Nothing can be written any more, and the cause is a bug, so the process ends.
      if (ready)
        setImmediate(() => {
          throw error
        })
    }
    worker.on('error', (error) => fail(new Error('the store thread died', { cause: error })))
    worker.on('exit', () => {
      receive()
      port.close()
      if (!closing && !dead) fail(new Error('the store thread exited'))
    })
  })
}

type Waiter = { readonly position: Position; readonly settle: (reached: boolean) => void }

/** The position of the read models in the log, as reported by the projecting thread. */
export type ProjectionProgress = {
  readonly advance: (step: { readonly position: Position }) => void
  readonly stall: (stalled: { readonly failure: Failure; readonly isWriting: boolean }) => void
  /** Called when changes that could not be written are written. */
  readonly recover: () => void
  readonly position: () => Position
  readonly reached: (position: Position, ms: number) => Promise<boolean>
  readonly fault: () => Error | undefined
}

export const progress = (): ProjectionProgress => {
  const waiting = new Set<Waiter>()
  let current = LOG_START
  let fault: Error | undefined
  let isOfWriting = false
  return {
    advance: ({ position }) => {
      fault = undefined
      current = position
      for (const waiter of waiting) if (waiter.position <= position) waiter.settle(true)
    },
    stall: ({ failure, isWriting }) => {
      fault = toError(failure)
      isOfWriting = isWriting
    },
    recover: () => {
      if (isOfWriting) fault = undefined
    },
    position: () => current,
    reached: (position, ms) =>
      new Promise((resolve) => {
        if (position <= current) return resolve(true)
        const waiter: Waiter = {
          position,
          settle: (reached) => {
            clearTimeout(timer)
            waiting.delete(waiter)
            resolve(reached)
          },
        }
        const timer = setTimeout(() => waiter.settle(false), ms)
        waiting.add(waiter)
      }),
    fault: () => fault,
  }
}
