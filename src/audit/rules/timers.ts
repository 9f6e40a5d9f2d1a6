import type { EventName, Logged } from '../../domain/events.ts'
import type { Entry } from '../ledger.ts'
import { drop, put, type Rules } from './rule.ts'

// Effects that end at a set time.

/** Each effect, the events that set its end and those that end it. */
const effects: readonly (readonly [effect: string, setBy: readonly EventName[], endedBy: readonly EventName[]])[] = [
  ['ban', ['UserBanned', 'BanChanged'], ['UserUnbanned', 'BanExpired']],
  ['wikiBan', ['UserWikiBanned', 'WikiBanChanged'], ['UserWikiUnbanned', 'WikiBanExpired']],
  ['gold', ['GoldExtended'], ['GoldExpired']],
  ['mute', ['UserMuted'], ['UserUnmuted', 'MuteExpired']],
  ['suspension', ['AccountSuspended'], ['AccountUnsuspended', 'AccountSuspensionExpired']],
]

const whose = ({ stream }: Logged): string => stream.split('-').slice(1).join('-')

const set =
  (effect: string) =>
  (event: Logged): readonly Entry[] => {
    const aggregate = whose(event)
    const id = `${effect}.${aggregate}`
    const { until: due } = event.data as { readonly until: number | null }
    return [due === null ? drop('timers', id) : put('timers', { id, due, effect, aggregate, cause: event.id })]
  }

const end =
  (effect: string) =>
  (event: Logged): readonly Entry[] => [drop('timers', `${effect}.${whose(event)}`)]

export const timerRules: Rules = Object.fromEntries(
  effects.flatMap(([effect, setBy, endedBy]) => [
    ...setBy.map((type) => [type, set(effect)] as const),
    ...endedBy.map((type) => [type, end(effect)] as const),
  ]),
)
