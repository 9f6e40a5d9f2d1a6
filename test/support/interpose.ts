import * as E from 'fp-ts/lib/Either.js'
import type { TestSite } from './site.ts'

/**
 * Does something while a request is being handled: just before its next command on a stream of this category decides, or just after that
 * command has recorded something. Requests that `act` makes are not interrupted.
 */
export const interpose = (
  { running: { app } }: TestSite,
  moment: 'before' | 'after',
  category: string,
  act: () => Promise<unknown>,
): void => {
  const { run } = app
  // the request may have further commands, which it goes on to give to this one
  let isDone = false
  const interposed: typeof run = async (aggregate, ...rest) => {
    if (isDone || aggregate.category !== category) return run(aggregate, ...rest)
    isDone = true
    Object.assign(app, { run })
    if (moment === 'before') await act()
    const result = await run(aggregate, ...rest)
    if (moment === 'after' && E.isRight(result) && result.right.position !== undefined) await act()
    return result
  }
  Object.assign(app, { run: interposed })
}
