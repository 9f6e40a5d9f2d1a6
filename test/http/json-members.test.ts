import test from 'ava'
import { startCast } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { members } from '../support/interface-table.ts'
import { foundSubsite } from '../support/posting.ts'
import type { Answer, User } from '../support/site.ts'

// Every member of the JSON objects that the specification describes changes an answer.

const { site, ann, root } = await startCast(['ann', 'root'], { admins: ['root'] })
await foundSubsite(ann, 'tea')
test.after.always(() => site.stop())

type Members = Readonly<Record<string, unknown>>
type Example = {
  /** The object with the member, and without it or with another value of it. */
  readonly given: Members
  readonly otherwise?: Members
  /** Members sent before, in both cases. */
  readonly first?: readonly Members[]
  readonly gold?: boolean
}

/** JSON can write half a surrogate pair as an escape, `\\ud800`. */
const HALF = 'a\ud800b'

let registered = 0

const patch = (who: User, json: Members): Promise<Answer> => who.request('PATCH', '/api/v1/me/prefs', { json })
const befriend = (who: User, json: Members): Promise<Answer> => who.request('PUT', '/api/v1/me/friends/ann', { json })
const modelAt =
  (method: string, path: (who: User) => string) =>
  (who: User, model: Members): Promise<Answer> =>
    who.request(method, path(who), { form: { model: JSON.stringify(model) } })
const multi = ({ name }: User) => `/api/multi/user/${name}/m/drinks`

/** Sends the object of a row. */
const senders: Readonly<Record<string, (who: User, sent: Members) => Promise<Answer>>> = {
  'PATCH /api/v1/me/prefs': patch,
  'PUT /api/v1/me/friends/{username}': befriend,
  'POST /api/multi/{multipath}': modelAt('POST', multi),
  'PUT /api/multi/{multipath}': modelAt('PUT', multi),
  'PUT /api/multi/{multipath}/description': async (who, model) => {
    await modelAt('PUT', multi)(who, {})
    return modelAt('PUT', (owner) => `${multi(owner)}/description`)(who, model)
  },
  'PUT /api/multi/{multipath}/s/{srname}': async (who, model) => {
    await modelAt('PUT', multi)(who, {})
    return modelAt('PUT', (owner) => `${multi(owner)}/s/tea`)(who, model)
  },
}

const ofMultis: Readonly<Record<string, Example>> = {
  description_md: { given: { description_md: 'all that is drunk' } },
  display_name: { given: { display_name: 'All drinks' } },
  icon_name: { given: { icon_name: 'food and drink' } },
  key_color: { given: { key_color: '#102030' } },
  subreddits: { given: { subreddits: [{ name: 'tea' }] } },
  visibility: { given: { visibility: 'public' } },
  weighting_scheme: { given: { weighting_scheme: 'fresh' } },
}

/**
 * Preferences that are no flags, and flags that depend on others or on gold; the other flags are turned. The reset of subscriptions is
 * not stored, and test/http/preferences.test.ts shows what it does.
 */
const ofPreferences: Readonly<Record<string, Example>> = {
  chat_sidebar_size: { given: { chat_sidebar_size: 'chat_size_60' } },
  default_comment_sort: { given: { default_comment_sort: 'new' } },
  lang: { given: { lang: 'de' } },
  media: { given: { media: 'off' } },
  min_comment_score: { given: { min_comment_score: -100 } },
  min_link_score: { given: { min_link_score: 100 } },
  num_comments: { given: { num_comments: 500 } },
  numsites: { given: { numsites: 1 } },
  other_theme: { given: { other_theme: 'nowhere' } },
  theme_selector: { given: { theme_selector: 'tea' } },
  site_index: { given: { site_index: 'site_index_all' } },
  site_theme: { given: { site_theme: 'theme_nightmode' } },
  subscriptions_unsubscribe: {
    given: { subscriptions_unsubscribe: 'nonsense' },
    otherwise: { subscriptions_unsubscribe: 'subs_do_nothing' },
  },
  hide_ads: { gold: true, given: { hide_ads: true } },
  show_gold_expiration: { gold: true, given: { show_gold_expiration: true } },
  no_profanity: { first: [{ over_18: true }], given: { no_profanity: false } },
  label_nsfw: { first: [{ over_18: true }, { no_profanity: false }], given: { label_nsfw: false } },
}

const examples: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  'PATCH /api/v1/me/prefs': ofPreferences,
  'PUT /api/v1/me/friends/{username}': { name: { given: { name: 'root' } }, note: { given: { note: 'a note' } } },
  'POST /api/multi/{multipath}': ofMultis,
  'PUT /api/multi/{multipath}': ofMultis,
  'PUT /api/multi/{multipath}/description': { body_md: { given: { body_md: 'words' }, otherwise: { body_md: 'other words' } } },
  'PUT /api/multi/{multipath}/s/{srname}': { name: { given: { name: 'tea' } } },
}

/** The parts of a response that differ from account to account, or with time. */
const passing = /somebody\d+|"(created|created_utc|date)":[\d.]+/g

/** The result of sending it as a new account. */
const outcome = async (row: string, { first = [], gold = false }: Example, sent: Members): Promise<string> => {
  const who = await site.register(`somebody${registered++}`)
  if (gold) await postForm(root, `/api/v1/gold/give/${who.name}`, { months: 1 })
  for (const before of first) await senders[row]?.(who, before)
  const { status, text = '' } = (await senders[row]?.(who, sent)) ?? { status: 0 }
  return `${status} ${text.replace(passing, '*')}`
}

/** A flag is compared with its opposite. */
const flag = (name: string): Example => ({ given: { [name]: true }, otherwise: { [name]: false } })

for (const [row, names] of Object.entries(members))
  test(`${row}: each member of its JSON object changes the answer: ${names.join(', ')}`, async (t) => {
    for (const [n, name] of names.entries()) {
      const example = examples[row]?.[name] ?? flag(name)
      const { given, otherwise = {} } = example
      const one = await outcome(row, example, given)
      if (n === 0) t.is(await outcome(row, example, given), one, 'the same object comes to the same')
      t.not(await outcome(row, example, otherwise), one, name)
    }
  })

for (const [row, names] of Object.entries(members))
  test(`${row}: half a surrogate pair, in any member of its JSON object or in a member's name, causes no fault`, async (t) => {
    const who = await site.register(`somebody${registered++}`)
    for (const name of names)
      for (const sent of [{ [name]: HALF }, { [name]: [HALF] }, { [name]: [{ name: HALF }] }, { [name]: 'words', [HALF]: HALF }]) {
        const { status = 0, text } = (await senders[row]?.(who, sent)) ?? {}
        t.true(status >= 200 && status < 500, `${name}: ${status} ${text}`)
      }
  })
