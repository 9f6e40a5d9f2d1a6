// Decisions 5 and 68.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents } from './decision.ts'
import { event, field, type OneOf, recordCodec } from './event.ts'
import { AccountId } from './ids.ts'

type Common = {
  /** The effect in this service; undefined if the preference is only stored and returned for clients. */
  readonly effect: string | undefined
}
export type FlagPreference = Common & { readonly kind: 'flag'; readonly initial: boolean | null }
export type IntegerPreference = Common & { readonly kind: 'integer'; readonly initial: number; readonly min: number; readonly max: number }
export type Choice<V extends string = string> = Common & { readonly kind: 'choice'; readonly initial: V; readonly values: readonly V[] }
/** A language tag. */
type Language = Common & { readonly kind: 'language'; readonly initial: string }
/** The name of a subsite, or null. */
type Theme = Common & { readonly kind: 'subsite'; readonly initial: string | null }
/** Accepted and always null. */
type UnusedPreference = Common & { readonly kind: 'unused'; readonly initial: null }
export type Preference = FlagPreference | IntegerPreference | Choice | Language | Theme | UnusedPreference

const flag = <I extends boolean | null>(initial: I, effect?: string): FlagPreference & { readonly initial: boolean | I } => ({
  kind: 'flag',
  initial,
  effect,
})
const integer = (min: number, max: number, initial: number, effect?: string): IntegerPreference => ({
  kind: 'integer',
  min,
  max,
  initial,
  effect,
})
const choice = <const V extends string>(values: readonly V[], initial: NoInfer<V>, effect?: string): Choice<V> => ({
  kind: 'choice',
  values,
  initial,
  effect,
})

const chatSizes = (['default', 's', 'm', 'l', 'xl', '25', '33', '40', '50', '60'] as const).map((size) => `chat_size_${size}` as const)

const theme: Theme = { kind: 'subsite', initial: null, effect: undefined }

/** An account's preferences: every readable name, in the order in which they are shown. */
export const preferenceTable = {
  numsites: integer(1, 100, 25, 'things on a page of a listing that names no `limit`'),
  hide_ups: flag(false, 'links that you voted insightful are left out of listings of links'),
  hide_downs: flag(false, 'links that you voted funny are left out of listings of links'),
  min_link_score: integer(-100, 100, -4, 'links with a lower score are left out of listings of links'),
  min_comment_score: integer(-100, 100, -4),
  num_comments: integer(1, 500, 100, 'comments of a thread that names no `limit`'),
  default_comment_sort: choice(
    ['fun', 'new', 'top', 'insightful'],
    'top',
    'order of the comments where neither you nor the link names one',
  ),
  ignore_suggested_sort: flag(false, 'the order that a link or a subsite suggests is not used'),
  over_18: flag(false, 'links and subsites for adults are shown where they are left out otherwise'),
  no_profanity: flag(true, 'true unless `over_18` already was and stays true; forces `label_nsfw`'),
  label_nsfw: flag(true, 'true while `no_profanity` is true'),
  site_index: choice(['site_index_front', 'site_index_all'], 'site_index_front', 'with `site_index_all` the front page is `/s/all`'),
  subscriptions_unsubscribe: choice(
    ['subs_do_nothing', 'subs_reset_subscriptions'],
    'subs_do_nothing',
    '`subs_reset_subscriptions` replaces your subscriptions by the default subsites, at once and only then; never stored',
  ),
  public_votes: flag(false, 'everybody may read `/user/{name}/upvoted` and `downvoted`'),
  hide_from_robots: flag(false, 'your account record and your pages tell search engines to keep away'),
  private_feeds: flag(true, 'your private feeds can be read'),
  monitor_mentions: flag(true, 'comments that mention you enter your inbox'),
  collapse_read_messages: flag(false, 'messages that were read are `is_collapsed`, unless they were uncollapsed'),
  beta: flag(false, 'shown in your account record as `in_beta`'),
  store_visits: flag(false, 'links that you report as visited are `visited` for 7 days; takes gold'),
  mark_messages_read: flag(true),
  threaded_messages: flag(true),
  threaded_modmail: flag(false),
  chat_enabled: flag(true),
  chat_sidebar_size: choice(chatSizes, 'chat_size_s'),
  clickgadget: flag(true),
  compress: flag(false),
  csite_autorenew: flag(false),
  default_theme_sr: theme,
  domain_details: flag(false),
  email_messages: flag(false),
  enable_default_themes: flag(false),
  hide_ads: flag(false),
  hide_locationbar: flag(false),
  highlight_controversial: flag(false),
  highlight_new_comments: flag(true),
  lang: { kind: 'language', initial: 'en', effect: undefined },
  legacy_search: flag(false),
  media: choice(['on', 'off', 'subsite'], 'subsite'),
  newwindow: flag(false),
  organic: flag(true),
  other_theme: { kind: 'unused', initial: null, effect: undefined },
  research: flag(false),
  show_flair: flag(true),
  show_gold_expiration: flag(false),
  show_link_flair: flag(true),
  show_promote: flag(null),
  show_stylesheets: flag(true, 'pages show the banner and the sidebar of a subsite as its moderators style them'),
  show_trending: flag(true),
  site_theme: choice(['theme_nightmode', 'theme_daymode'], 'theme_daymode'),
  use_global_defaults: flag(false),
} as const satisfies Readonly<Record<string, Preference>>

type PreferenceTable = typeof preferenceTable
export type PreferenceName = keyof PreferenceTable
/** The values that a row can have: a flag, a number in its range, one of its values, a name. */
type ValueOf<P> =
  P extends Choice<infer V> ? V : P extends FlagPreference ? boolean | P['initial'] : P extends Preference ? P['initial'] : never
export type Preferences = { readonly [N in PreferenceName]: ValueOf<PreferenceTable[N]> }

export const preferenceNames = Object.keys(preferenceTable) as readonly PreferenceName[]

/** The preferences of a new account. */
export const initialPreferences = Object.fromEntries(preferenceNames.map((name) => [name, preferenceTable[name].initial])) as Preferences

const Value = t.union([t.boolean, t.number, t.string, t.null])
export type PreferenceValue = t.TypeOf<typeof Value>

const preference = field(t.string, 'Its name.', 'party')
/** Appended to `preferences-<account>`. This event alone holds all preferences, however often they were changed before. */
export const PreferencesChanged = event(
  'PreferencesChanged',
  'An account changed its preferences.',
  {
    account: field(AccountId, 'The account.', 'party', { party: true }),
    changes: field(
      t.readonlyArray(
        recordCodec('PreferenceChange', {
          preference,
          before: field(Value, 'Its value before.', 'party'),
          after: field(Value, 'Its value now.', 'party'),
        }),
      ),
      'What changed.',
      'party',
    ),
    preferences: field(
      t.readonlyArray(recordCodec('PreferenceValue', { preference, value: field(Value, 'Its value.', 'party') })),
      'All that differ now from those of a new account.',
      'party',
    ),
  },
  { by: 'party' },
)
export const preferencesEvents = [PreferencesChanged] as const
export type PreferencesEvent = OneOf<typeof preferencesEvents>

const isAllowed = (preference: Preference, value: PreferenceValue): boolean => {
  switch (preference.kind) {
    case 'flag':
      return typeof value === 'boolean'
    case 'integer':
      return typeof value === 'number' && value >= preference.min && value <= preference.max
    case 'choice':
      return typeof value === 'string' && preference.values.includes(value)
    case 'language':
    case 'subsite':
      return typeof value === 'string'
    case 'unused':
      return false
  }
}

export const isPreference = (name: string): name is PreferenceName => Object.hasOwn(preferenceTable, name)

/** Returns all preferences, from those that differ from the defaults. Names that are no longer preferences are ignored. */
export const preferencesFrom = (changed: readonly { readonly preference: string; readonly value: PreferenceValue }[]): Preferences => ({
  ...initialPreferences,
  ...Object.fromEntries(
    changed.flatMap(({ preference, value }) =>
      isPreference(preference) && isAllowed(preferenceTable[preference], value) ? [[preference, value]] : [],
    ),
  ),
})

export const PreferencesOf: Aggregate<Preferences, PreferencesEvent> = {
  category: 'preferences',
  subsiteOf: null,
  on: { PreferencesChanged: (_, { preferences }) => preferencesFrom(preferences) },
  decidedByLast: true,
}

/** The requested values of preferences that need gold. */
const goldOnly = ['hide_ads', 'show_gold_expiration'] as const satisfies readonly PreferenceName[]

/** Returns the effective preferences: some depend on others, some need gold. */
const settlePreferences = (before: Preferences, sent: Partial<Preferences>, gold: boolean): Preferences => {
  const wished = { ...before, ...sent, subscriptions_unsubscribe: before.subscriptions_unsubscribe }
  const allowed = gold ? wished : { ...wished, ...Object.fromEntries(goldOnly.map((name) => [name, before[name]])) }
  const no_profanity = allowed.no_profanity || !before.over_18 || !allowed.over_18
  return { ...allowed, no_profanity, label_nsfw: allowed.label_nsfw || no_profanity || before.no_profanity }
}

/** Changes some preferences in one event; the others stay. */
export const changePreferences =
  (account: AccountId, sent: Partial<Preferences>, { gold }: { readonly gold: boolean }): Decide<Preferences, PreferencesEvent> =>
  (before = initialPreferences) => {
    const after = settlePreferences(before, sent, gold)
    const changes = preferenceNames.flatMap((preference) =>
      before[preference] === after[preference] ? [] : [{ preference, before: before[preference], after: after[preference] }],
    )
    if (changes.length === 0) return noEvents
    const preferences = preferenceNames.flatMap((preference) =>
      after[preference] === initialPreferences[preference] ? [] : [{ preference, value: after[preference] }],
    )
    return decideEvents(PreferencesChanged({ account, changes, preferences }))
  }
