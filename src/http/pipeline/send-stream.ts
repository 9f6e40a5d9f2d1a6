import type { ServerResponse } from 'node:http'
import type { EndlessBody } from '../contract/followers.ts'

/** The time in which a client must take its part before it is given up. At most a part and the connection's buffer wait for it. */
const STALL_MS = 30_000

/** Resolves to whether the client has taken everything in time. */
const waitUntilDrained = (res: ServerResponse, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = (isTaken: boolean) => {
      clearTimeout(timer)
      res.off('drain', finish).off('close', giveUp)
      resolve(isTaken)
    }
    const finish = () => end(true)
    const giveUp = () => end(false)
    const timer = setTimeout(giveUp, ms)
    res.once('drain', finish).once('close', giveUp)
  })

/** Sends a body without end, part by part as its client reads. A client that does not read is given up: it asks again from its place. */
export const sendStream = async (res: ServerResponse, body: EndlessBody, stallMs = STALL_MS): Promise<void> => {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  res.flushHeaders()
  let sentAt = performance.now()
  for await (const part of body(gone.signal)) {
    // a short part that fits into the connection's buffer is not taken either while the client does not read
    const isStalled = res.writableLength > 0 && performance.now() - sentAt >= stallMs
    sentAt = performance.now()
    if (res.destroyed || isStalled || (!res.write(part) && !(await waitUntilDrained(res, stallMs)))) {
      res.destroy()
      return
    }
  }
  res.end()
}
