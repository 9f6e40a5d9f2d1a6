// Decision 40.

import { positionAtMost } from '../domain/event.ts'
import { InboxEntry, markRead } from '../domain/inbox-entry.ts'
import { followUp } from '../runtime/command.ts'
import type { Reactions } from './reaction.ts'

const ENTRIES_AT_ONCE = 100

/** Entries that were unread when an inbox was cleared become read. Later ones, and those marked unread again, stay so. */
export const inboxes: Reactions = {
  InboxCleared: (event) => [
    async ({ run }) => {
      const { account, things } = event.data
      const by = followUp(event, 'clear', { account, as: 'user' })
      for (let n = 0; n < things.length; n += ENTRIES_AT_ONCE)
        await Promise.all(
          things
            .slice(n, n + ENTRIES_AT_ONCE)
            .map((thing) => run(InboxEntry, `${account}.${thing}`, markRead(account, thing, positionAtMost(event)), by)),
        )
    },
  ],
}
