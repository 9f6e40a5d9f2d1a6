// Decision 73.

import { SERVICE } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import { extendGold, GOLD_MONTH_DAYS, Gold } from '../domain/gold.ts'
import { id36, kindOf } from '../domain/ids.ts'
import { followUp } from '../runtime/command.ts'
import { sendNoticeOf } from './moderation-messages.ts'
import { type Consequence, command, type Reactions } from './reaction.ts'

type Payment = Stored<'ThingGilded' | 'GoldGiven'>

const extend = (cause: Payment, account: string, days: number): Consequence =>
  command(Gold, account, extendGold(account, days, cause.at), followUp(cause, 'gold', SERVICE))

/** Sends a message to the account that has more gold now. It has no author, since gifts are anonymous. */
const tell =
  (cause: Payment, to: string, text: { readonly subject: string; readonly body: string }): Consequence =>
  async (ports) => {
    const envelope = { author: null, to, subsite: null, fromSubsite: false, modmail: false, distinguished: 'gold-auto' } as const
    return sendNoticeOf(ports, cause, followUp(cause, 'gold notice', SERVICE), envelope, text)
  }

const months = (count: number) => (count === 1 ? 'a month' : `${count} months`)

/** A gift gives gold, and sends a message about it. */
export const gold: Reactions = {
  ThingGilded: (event) => {
    const { thing, link, author } = event.data
    const kind = kindOf(thing)
    const path = `/comments/${id36(link)}${thing === link ? '' : `/_/${id36(thing)}`}`
    return [
      extend(event, author, GOLD_MONTH_DAYS),
      tell(event, author, {
        subject: `somebody gilded your ${kind}`,
        body: `Somebody found [your ${kind}](${path}) worth a month of gold. You have it from now on, or a month longer.`,
      }),
    ]
  },
  GoldGiven: (event) => {
    const { to, months: count } = event.data
    return [
      extend(event, to, GOLD_MONTH_DAYS * count),
      tell(event, to, {
        subject: 'somebody gave you gold',
        body: `Somebody gave you ${months(count)} of gold. You have it from now on, or for that much longer.`,
      }),
    ]
  },
}
