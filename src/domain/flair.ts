import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { record as dataOf, event, field, type OneOf, optional, readBy, sealed } from './event.ts'
import { AccountId, firstPart, SubsiteId } from './ids.ts'
import { actOnThing } from './moderated-thing.ts'
import type { Refusal } from './refusal.ts'
import type { Target } from './target.ts'

export const flairLimits = {
  /** Characters. */
  text: 64,
  classes: 10,
  /** Of each kind, in one subsite. */
  templates: 350,
} as const

/** Both empty: no flair. `css` are the names of classes, separated by single spaces. */
export type Flair = { readonly text: string; readonly css: string }

export const noFlair: Flair = { text: '', css: '' }
export const isEmpty = ({ text, css }: Flair): boolean => text === '' && css === ''
const isSame = (a: Flair, b: Flair) => a.text === b.text && a.css === b.css

const refused = (code: Refusal['code']): Either<Refusal, never> => E.left({ code, field: 'css_class' })

/** At most ten names of letters, digits and hyphens, separated by spaces. */
export const parseClasses = (raw: string): Either<Refusal, string> => {
  const names = raw.split(' ').filter((name) => name !== '')
  if (names.length > flairLimits.classes) return refused('TOO_MUCH_FLAIR_CSS')
  return names.every((name) => /^[A-Za-z0-9-]{1,100}$/.test(name)) ? E.right(names.join(' ')) : refused('BAD_CSS_NAME')
}

const css = field(t.string, 'Names of classes, with spaces between; empty: none.', 'public')
/** `account`: as whose the text is sealed. */
const before = field(
  optional(
    dataOf('FormerFlair', {
      account: field(AccountId, 'Whose text it is.', 'public'),
      text: field(sealed('account', 'target.id'), 'The text; empty: none.', 'public'),
      css,
    }),
  ),
  'The flair that it replaced; earlier versions did not record it.',
  'public',
)

const userFlair = {
  subsite: field(SubsiteId, 'The subsite.', 'public'),
  account: field(AccountId, 'Whose flair it is.', 'public', { party: true }),
  text: field(sealed('account'), 'The text; empty: none.', 'public'),
  css,
  shown: field(t.boolean, 'Whether the account shows its flair.', 'party'),
}
export const UserFlairChanged = event(
  'UserFlairChanged',
  'The flair of an account in a subsite was changed, by a moderator or, which is no act of moderation, by the account.',
  {
    ...userFlair,
    csv: field(t.boolean, 'Whether it is one line of many that a moderator sent.', 'public'),
    cleared: field(optional(t.boolean), 'Whether neither text nor classes were left, which an erased text does not tell.', 'public'),
    before,
  },
  { by: 'public' },
)
export const UserFlairSwitched = event(
  'UserFlairSwitched',
  'An account chose whether its flair in a subsite is shown.',
  readBy('party', userFlair),
  { by: 'party' },
)
export const LinkFlairChanged = event(
  'LinkFlairChanged',
  'The flair of a link was changed, by a moderator or by the author of the link.',
  {
    ...actOnThing,
    author: field(AccountId, 'Who posted the link.', 'public'),
    text: field(sealed('author', 'target.id'), 'The text; empty: none.', 'public'),
    css,
    before,
  },
  { by: 'public' },
)
export const userFlairEvents = [UserFlairChanged, UserFlairSwitched] as const
export type UserFlairEvent = OneOf<typeof userFlairEvents>

export const linkFlairEvents = [LinkFlairChanged] as const
export type LinkFlairEvent = OneOf<typeof linkFlairEvents>

export type UserFlair = Flair & { readonly shown: boolean }

const initial: UserFlair = { ...noFlair, shown: true }
const asSaid = (_: unknown, { text, css, shown }: UserFlair): UserFlair => ({ text, css, shown })

/** The flair of an account in a subsite: `<subsite>.<account>`. */
export const UserFlair: Aggregate<UserFlair, UserFlairEvent> = {
  category: 'flair',
  subsiteOf: firstPart,
  decidedByLast: true,
  on: { UserFlairChanged: asSaid, UserFlairSwitched: asSaid },
}

export const LinkFlair: Aggregate<Flair, LinkFlairEvent> = {
  category: 'linkflair',
  subsiteOf: (id) => id,
  decidedByLast: true,
  on: { LinkFlairChanged: (_, { text, css }) => ({ text, css }) },
}

type FlairOwner = { readonly subsite: SubsiteId; readonly account: AccountId }

/** Text and classes are replaced together. */
export const setUserFlair =
  (between: FlairOwner, { text, css }: Flair, csv = false): Decide<UserFlair, UserFlairEvent> =>
  (state = initial) => {
    if (isSame(state, { text, css })) return nothing
    const cleared = isEmpty({ text, css })
    const before = { account: between.account, text: state.text, css: state.css }
    return record(UserFlairChanged({ ...between, text, css, shown: state.shown, csv, ...(cleared && { cleared }), before }))
  }

/** Does not change the flair itself. */
export const showFlair =
  (between: FlairOwner, shown: boolean): Decide<UserFlair, UserFlairEvent> =>
  (state = initial) =>
    state.shown === shown ? nothing : record(UserFlairSwitched({ ...between, text: state.text, css: state.css, shown }))

export const setLinkFlair =
  (
    { subsite, erased }: { readonly subsite: SubsiteId; readonly erased: boolean },
    target: Target,
    { text, css }: Flair,
  ): Decide<Flair, LinkFlairEvent> =>
  (state = noFlair) => {
    if (erased) return refuse('THING_ERASED', 'link')
    const { author } = target
    const before = { account: author, ...state }
    return isSame(state, { text, css }) ? nothing : record(LinkFlairChanged({ subsite, target, author, text, css, before }))
  }
