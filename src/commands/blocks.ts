import type { App } from '../app.ts'
import { Contact } from '../domain/contact.ts'
import type { AccountId } from '../domain/ids.ts'

/** Whether an account does not want to read another one; never itself. */
export const isBlocking = async ({ load }: Pick<App, 'load'>, account: AccountId, other: AccountId): Promise<boolean> =>
  account !== other && ((await load(Contact, `${account}.${other}`))?.blocked ?? false)
