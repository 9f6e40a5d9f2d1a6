import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../app.ts'
import type { Command } from '../commands/command.ts'
import { Username } from '../domain/account.ts'
import { refuse } from '../domain/decision.ts'
import type { AccountId } from '../domain/ids.ts'
import { claimOf, mayBeUsername } from '../domain/names.ts'
import type { Refusal } from '../domain/refusal.ts'

/** The account of a name, as the log has it; `USER_DOESNT_EXIST` on the field that the name came in. */
export const accountCalled = async (
  { load }: Pick<App, 'load'>,
  name: string,
  field: string,
  command?: Pick<Command, 'seen'>,
): Promise<Either<Refusal, AccountId>> => {
  const claim = mayBeUsername(name) ? await load(Username, claimOf(name), command) : undefined
  return claim ? E.right(claim.account) : refuse('USER_DOESNT_EXIST', field)
}
