// Decision 86.

import { endRenamed, MultiStream, multiId } from '../domain/multi.ts'
import { followUp } from '../runtime/command.ts'
import { command, type Reactions } from './reaction.ts'

/** A renamed multi is deleted under its former name. */
export const multis: Reactions = {
  MultiCreated: (event) => {
    const { account, kind, renamed } = event.data
    if (renamed === undefined) return []
    const former = { account, kind, name: renamed.from }
    return [command(MultiStream, multiId(former), endRenamed(former, renamed.revision), followUp(event, 'rename', event.by))]
  },
}
