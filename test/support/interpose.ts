import { either as E } from 'fp-ts'
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
  const interposed: typeof run = async (aggregate, ...rest) => {
    if (aggregate.category !== category) return run(aggregate, ...rest)
    Object.assign(app, { run })
    if (moment === 'before') await act()
    const result = await run(aggregate, ...rest)
    if (moment === 'after' && E.isRight(result) && result.right.position !== undefined) await act()
    return result
  }
  Object.assign(app, { run: interposed })
}
