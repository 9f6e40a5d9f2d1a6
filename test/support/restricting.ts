import { Relation } from '../../src/domain/relation.ts'
import { banUser, muteUser, wikiBanUser } from '../../src/domain/restrictions.ts'
import type { Command } from '../../src/runtime/command.ts'
import type { Run } from '../../src/runtime/run.ts'

type Pair = { readonly subsite: string; readonly account: string }

/** Restricts accounts by the decisions that requests of a moderator make. A restriction begins at `at`, by default that of its command. */
export const openRestricting = ({ run }: { readonly run: Run }) => {
  const idOf = ({ subsite, account }: Pair): string => `${subsite}.${account}`
  return {
    ban: (pair: Pair, command: Command, { days = null as number | null, message = '', at = command.at } = {}) =>
      run(Relation, idOf(pair), banUser(pair, { moderator: false, at }, { days, note: '', message }), command),
    mute: (pair: Pair, command: Command, { note = '', over = undefined as string | undefined } = {}) =>
      run(
        Relation,
        idOf(pair),
        muteUser(pair, { moderator: false, at: command.at }, { note, ...(over !== undefined && { over }) }),
        command,
      ),
    wikiBan: (pair: Pair, command: Command, days: number) =>
      run(Relation, idOf(pair), wikiBanUser(pair, command.at, { days, note: '' }), command),
  }
}
