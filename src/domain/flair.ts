import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { record as dataOf, event, type OneOf, optional, sealed } from './event.ts'
import { AccountId, firstPart, SubsiteId } from './ids.ts'
import type { Refusal } from './refusal.ts'
import { Target } from './target.ts'

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

/** The flair that was replaced, both fields empty if there was none; earlier versions did not record it. `account`: as whose the text is sealed. */
const before = optional(dataOf('FormerFlair', { account: AccountId, text: sealed('account', 'target.id'), css: t.string }))

/** The state of an account's flair in a subsite. `shown`: the account's choice. */
const userFlair = { subsite: SubsiteId, account: AccountId, text: sealed('account'), css: t.string, shown: t.boolean }
/**
 * A moderation action, unless the account chose it. `csv`: one line of a CSV upload. `cleared`: neither text nor classes were left, which
 * cannot be distinguished from an erased text.
 */
export const UserFlairChanged = event('UserFlairChanged', { ...userFlair, csv: t.boolean, cleared: optional(t.boolean), before })
/** The account shows or hides its flair. */
export const UserFlairSwitched = event('UserFlairSwitched', userFlair)
/** A moderation action, unless the author chose it. */
export const LinkFlairChanged = event('LinkFlairChanged', {
  subsite: SubsiteId,
  target: Target,
  author: AccountId,
  text: sealed('author', 'target.id'),
  css: t.string,
  before,
})
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
