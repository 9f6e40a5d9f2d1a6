import type { ExecutionContext, TestFn } from 'ava'

/** Cases by their sentence, and what each does with a freshly opened store. */
export type Cases<Opened> = Readonly<Record<string, (t: ExecutionContext, opened: Opened) => Promise<void>>>

/** Cases that an adapter does not run, each with its reason; visible in the report. */
export type Exceptions = Readonly<Record<string, string>>

/** Opens a store for one case. A teardown of `t` closes it. */
export type Open<Opened> = (t: ExecutionContext) => Promise<Opened>

/** Register every case of a contract for one adapter. */
export const runContract = <Opened>(test: TestFn, name: string, cases: Cases<Opened>, open: Open<Opened>, exceptions: Exceptions): void => {
  const unknown = Object.keys(exceptions).filter((title) => !(title in cases))
  if (unknown.length > 0) throw new Error(`no such case: ${unknown.join('; ')}`)
  for (const [title, run] of Object.entries(cases)) {
    const reason = exceptions[title]
    if (reason !== undefined) test.skip(`${name}: ${title} (not here: ${reason})`, (t) => t.pass())
    else test.serial(`${name}: ${title}`, async (t) => run(t, await open(t)))
  }
}
