import anyTest, { type TestFn } from 'ava'
import type { TestSite } from './site.ts'

/** AVA's `test` for a file whose cases share one site: it starts before the first case, is their context, and stops after the last. */
export const testOn = <Context extends { readonly site: TestSite }>(start: () => Promise<Context>): TestFn<Context> => {
  const test = anyTest as TestFn<Context>
  test.before(async (t) => {
    t.context = await start()
  })
  test.after.always((t) => t.context.site?.stop())
  return test
}
