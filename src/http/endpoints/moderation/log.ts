// Decision 55.

import * as E from 'fp-ts/lib/Either.js'
import { Account } from '../../../domain/account.ts'
import { AccountId } from '../../../domain/ids.ts'
import { modActionNames } from '../../../domain/mod-actions.ts'
import { accountsById, accountsEverNamed, accountsNamed } from '../../../queries/accounts.ts'
import { type Actor, type ModLogFilter, matches, modLogEntries, modLogEntry, modLogOf, modLogOrder } from '../../../queries/mod-log.ts'
import { type Context, type Need, type Param, section } from '../../contract/endpoint.ts'
import { describeParam, optional, rawText, strictInteger } from '../../contract/params.ts'
import type { Viewer } from '../../contract/request.ts'
import { JsonOrMedia } from '../../contract/schemas/answers.ts'
import { listingShape, thingShape } from '../../contract/schemas/things.ts'
import { notSuspended, subsiteIdHere } from '../../needs/facts.ts'
import { selectModerated } from '../../needs/listed-links.ts'
import { at, placeAt, placeHere } from '../../needs/past.ts'
import { mayViewSubsite } from '../../things/access.ts'
import { list, type NamedAnchor } from '../../things/listing.ts'
import { modActionName, modActionShape, modLogRecords, SERVICE_NAME } from '../../things/log-entries.ts'
import { EVENT_STREAM, wantsEventStream } from '../../wire/event-stream.ts'
import { modLogStream } from './log-stream.ts'

/** Finds an anchor, which is any entry of a moderation log, in other subsites too. */
const anchorIn =
  (context: Context, filter: ModLogFilter) =>
  async (name: string): Promise<NamedAnchor | undefined> => {
    const id = /^modaction_(.+)$/.exec(name)?.[1]
    const known = id === undefined ? undefined : await modLogEntry(context.documents, id, filter)
    if (!known) return undefined
    const { subsite } = known.entry
    return { key: known.anchor, viewable: filter.subsites.includes(subsite) || (await mayViewSubsite(context, subsite)) }
  }

/** Returns the values of a list, separated by commas or spaces; undefined for none. */
const parseList = (text: string | undefined): readonly string[] | undefined => {
  const values = (text ?? '').split(/[\s,]+/).filter((value) => value !== '')
  return values.length === 0 ? undefined : values
}

const MAX_NAMED_MODERATORS = 25

/** Names of actors that are no accounts: all admins, and the service as the log calls it. */
const others: Readonly<Record<string, Actor>> = { a: { isAdmin: true }, [SERVICE_NAME]: { mod: null } }

/**
 * Returns the moderators asked for by name or id, also those of deleted accounts. Unknown names, and those of erased accounts, match
 * nobody. A name that looks like an id is the name.
 */
const actorsNamed: Need<ModLogFilter['actors'], { readonly mod: string | undefined }, Viewer> = async ({ documents, load, params }) => {
  const names = parseList(params.mod)
  if (names === undefined) return E.right(undefined)
  if (names.length > MAX_NAMED_MODERATORS)
    return E.left({ code: 'BAD_REQUEST', field: 'mod', text: `at most ${MAX_NAMED_MODERATORS} names` })
  const sought = names.filter((name) => !Object.hasOwn(others, name)).map((name) => name.toLowerCase())
  const named = await accountsEverNamed(documents, sought)
  const isName = new Set(named.map(({ lower }) => lower))
  const byId = await accountsById(
    documents,
    sought.filter((name) => AccountId.is(name) && !isName.has(name)),
  )
  const known = [...new Map([...named, ...byId.values()].map((account) => [account.id, account])).values()]
  const isErased = await Promise.all(known.map(async ({ id, deleted }) => deleted && (await load(Account, id))?.erased === true))
  const mods = known.filter((_, index) => !isErased[index]).map(({ id }) => ({ mod: id }))
  return E.right([...new Set(names)].flatMap<Actor>((name) => others[name] ?? []).concat(mods))
}

/** Returns the place to look back to. With several subsites each has the log that it had then, also none yet. */
const placeOfLog: typeof placeHere = (context, name) => (subsiteIdHere(context) === undefined ? placeAt : placeHere)(context, name)

const DAY_SECONDS = 86_400
const date = /^\d{4}-\d\d-\d\d$/

/** A moment in seconds since 1970, or a date as forms send it, whose first or last second in UTC counts. */
const moment = (bound: 'first' | 'last'): Param<number | undefined> => {
  const inSeconds = optional(strictInteger({ min: 0, max: 100_000_000_000 }))
  return {
    ...inSeconds,
    decode: (value, name) => {
      const day = value !== undefined && date.test(value) ? Date.parse(value) / 1000 : Number.NaN
      if (Number.isNaN(day)) return inSeconds.decode(value, name)
      return E.right(bound === 'first' ? day : day + DAY_SECONDS - 1)
    },
    schema: { anyOf: [inSeconds.schema, { type: 'string', format: 'date' }] },
  }
}

const isFullname = /^t\d_/

/** Returns the fullname of a target. An account may also be named, as `ann` or `u/ann`. An unknown name matches nothing. */
const targetNamed: Need<string | undefined, { readonly target: string | undefined }, Viewer> = async ({ documents, params }) => {
  const named = parseList(params.target)?.join(' ').toLowerCase()
  if (named === undefined || isFullname.test(named)) return E.right(named)
  const name = named.replace(/^\/?u(?:ser)?\/|\/$/g, '')
  const [account] = await accountsNamed(documents, [name])
  return E.right(account?.id ?? name)
}

export const modLog = section('Moderation').get('[/s/{sub}]/about/log', {
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  listing: { max: 500 },
  rss: true,
  answers: { 200: new JsonOrMedia(listingShape(thingShape('modaction', modActionShape)), EVENT_STREAM) },
  summary: 'The moderation log, newest entry first.',
  cache: 'public',
  notes:
    'Public if the subsite is, and never deleted. Where the service acted, as at the end of a temporary ban, `mod` is `[service]`. A ban, a mute or a ban from the wiki that is repeated with another note is an entry of the same kind with the details `changed note`. Targets are described as they were at the time of the action. `changes` has what each field was before the act and after it, as far as it is recorded; a text of more than 2,048 bytes is named by its size and its SHA-256. `k` and `n` number the entry in this log and in that of the site, and are null until the history has it, for some seconds. Only moderators of the subsite see the text of targets (`target_body`), the notes of bans, the values of settings that others cannot read, and the title and flair of things deleted since: everybody else gets null in their place. Without a subsite in the path: the logs of all subsites that you moderate. With `Accept: text/event-stream` the entries come as they are made, oldest first, each as `kind` and `data` with its `id` as that of the server-sent event: each once, after the one in `Last-Event-ID` or `before`, or from now on.',
  params: {
    mod: describeParam(
      optional(rawText()),
      `names or fullnames of at most ${MAX_NAMED_MODERATORS} moderators, separated by commas; \`a\`: actions of admins; \`[service]\`: those of the service. Those of a deleted account are allowed; what is unknown or of an erased account matches nothing.`,
    ),
    type: describeParam(
      optional(rawText()),
      `kinds of act, separated by commas; an unknown one matches nothing: ${modActionNames.join(', ')}`,
    ),
    target: describeParam(
      optional(rawText()),
      'fullname of what was acted on: a link, a comment or an account, which may also be named as `ann` or `u/ann`',
    ),
    since: describeParam(moment('first'), 'seconds since 1970, or a date in UTC: no entry from before'),
    until: describeParam(moment('last'), 'seconds since 1970, or a date in UTC: no entry from after'),
    at: describeParam(at, `the log up to there: ${at.description}`),
  },
  uses: ['history', 'places', 'readEvent', 'followers', 'viewerNow'],
  needs: { subsites: selectModerated, active: notSuspended, actors: actorsNamed, target: targetNamed, place: placeOfLog },
  handle: (context) => {
    const { params, subsites, actors, target, place, documents, history } = context
    const filter: ModLogFilter = {
      subsites,
      actors,
      actions: parseList(params.type)?.filter((type) => modActionNames.some((action) => action === type)),
      target,
      since: params.since === undefined ? undefined : params.since * 1000,
      until: params.until === undefined ? undefined : (params.until + 1) * 1000,
      upTo: place,
    }
    if (wantsEventStream(context.headers)) return modLogStream(context, filter)
    let isNumbered = true
    return list({
      source: modLogOf(context, filter),
      order: ['mod log', ...modLogOrder(filter)],
      visible: (places) => places.filter((place) => matches(place, filter)),
      nameOf: ({ id }) => modActionName(id),
      anchor: anchorIn(context, filter),
      present: async (places) => {
        const records = await modLogRecords(context, await modLogEntries(documents, places))
        isNumbered = history === undefined || records.every(({ data }) => data.k !== null)
        return records
      },
      fleeting: () => place !== undefined || !isNumbered,
    })
  },
})
