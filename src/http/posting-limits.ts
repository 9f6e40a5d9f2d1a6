import { accounts } from '../../projections/accounts.ts'
import { karma, karmaId } from '../../projections/karma.ts'
import type { App } from '../app.ts'
import type { Refusal } from '../domain/refusal.ts'
import { isModerator, type Standing } from '../domain/standing.ts'
import type { Viewer } from './endpoint.ts'

type What = 'submit' | 'comment'
/** Founding subsites makes everybody but admins wait, whatever their karma. */
type Waiting = What | 'found'

/** A success makes newcomers wait this long before the next of its kind, by account and by address. */
const WAIT = 10 * 60 * 1000
/** Shorter waits are not worth a refusal. */
const IGNORED = 3000
/** Karma in the subsite that ends the waiting. */
const enough: Readonly<Record<What, number>> = { submit: 10, comment: 1 }

type Poster = { readonly viewer: Viewer; readonly ip: string }
type Place = { readonly subsite: string; readonly standing: Standing }

const namesOf = (what: Waiting, { viewer, ip }: Poster): readonly string[] => [`${what}.account.${viewer.account}`, `${what}.address.${ip}`]

/** Karma of the kind in the subsite; none there but some elsewhere counts as 1. */
const karmaIn = async ({ documents }: App, account: string, subsite: string, what: What): Promise<number> => {
  const id = karmaId(account, subsite)
  const [there, everywhere] = await Promise.all([documents.getMany(karma, [id]), documents.getMany(accounts, [account])])
  const of = (link: number, comment: number) => (what === 'submit' ? link : comment)
  const local = there.get(id)
  const held = local ? of(local.link, local.comment) : 0
  const total = everywhere.get(account)
  return held !== 0 || !total ? held : Math.min(1, of(total.linkKarma, total.commentKarma))
}

/** Whether waiting between posts applies to somebody in a subsite at all. */
export const isLimited = async (app: App, { viewer }: Poster, { subsite, standing }: Place, what: What): Promise<boolean> => {
  if (!app.config.rateLimits || viewer.account === undefined) return false
  if (standing.admin || standing.contributor || isModerator(standing)) return false
  return (await karmaIn(app, viewer.account, subsite, what)) < enough[what]
}

const inWords = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000)
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `you are doing that too much. try again in ${count} ${unit}${count === 1 ? '' : 's'}.`
}

/** Why a limited poster has to wait, if so; the text names the time, which clients read and wait for. */
export const waitOf = async (app: App, poster: Poster, what: Waiting): Promise<Refusal | undefined> => {
  const records = await app.vault.getMany('limit', namesOf(what, poster))
  const left = Math.max(0, ...Array.from(records.values(), ({ expires = 0 }) => expires - app.clock()))
  if (left < IGNORED) return undefined
  return { code: 'RATELIMIT', field: 'ratelimit', text: inWords(left), extra: { ratelimit: left / 1000 } }
}

/** A limited poster succeeded: the wait begins. */
export const beginWait = async (app: App, poster: Poster, what: Waiting): Promise<void> => {
  const expires = app.clock() + WAIT
  await Promise.all(namesOf(what, poster).map((name) => app.vault.put('limit', name, { value: 1, expires })))
}
