// Decision 77.

import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, optional, readBy, recordCodec, sealedText } from './event.ts'
import { AccountId, firstPart, SubsiteId } from './ids.ts'
import { actOnThing } from './moderated-thing.ts'
import type { Refusal } from './refusal.ts'
import type { Target } from './target.ts'

export const flairLimits = {
  classes: 10,
  /** The most templates of each kind in one subsite. */
  templates: 350,
} as const

/** The flair of a user or a link. If both are empty there is none. `css` holds names of classes, separated by single spaces. */
export type Flair = { readonly text: string; readonly css: string }

export const noFlair: Flair = { text: '', css: '' }
export const isEmpty = ({ text, css }: Flair): boolean => text === '' && css === ''
const isSame = (a: Flair, b: Flair) => a.text === b.text && a.css === b.css

const refuseClass = (code: Refusal['code']): E.Either<Refusal, never> => E.left({ code, field: 'css_class' })

/** Parses at most ten names of letters, digits and hyphens, separated by spaces. */
export const parseClasses = (raw: string): E.Either<Refusal, string> => {
  const names = raw.split(' ').filter((name) => name !== '')
  if (names.length > flairLimits.classes) return refuseClass('TOO_MUCH_FLAIR_CSS')
  return names.every((name) => /^[A-Za-z0-9-]{1,100}$/.test(name)) ? E.right(names.join(' ')) : refuseClass('BAD_CSS_NAME')
}

const css = field(t.string, 'Names of classes, with spaces between; empty: none.', 'public')
/** `account` is the account under whose key the text is sealed. */
const former = {
  account: field(AccountId, 'Whose text it is.', 'public'),
  text: field(sealedText('account', 'target.id'), 'The text; empty: none.', 'public'),
  css,
}
const formerMeaning = 'The flair that it replaced; earlier versions did not record it.'

const userFlair = {
  subsite: field(SubsiteId, 'The subsite.', 'public'),
  account: field(AccountId, 'Whose flair it is.', 'public', { party: true }),
  text: field(sealedText('account'), 'The text; empty: none.', 'public'),
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
    before: field(optional(recordCodec('FormerFlair', former)), formerMeaning, 'public'),
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
    text: field(sealedText('author', 'target.id'), 'The text; empty: none.', 'public'),
    css,
    template: field(
      optional(t.string),
      'The template that was chosen, a UUID; absent: none. Earlier versions did not record it.',
      'public',
    ),
    before: field(
      optional(
        recordCodec('FormerLinkFlair', {
          ...former,
          template: field(
            optional(t.union([t.string, t.null])),
            'The template that was chosen, a UUID; null: none. Earlier versions did not record it.',
            'public',
          ),
        }),
      ),
      formerMeaning,
      'public',
    ),
  },
  { by: 'public' },
)
export const userFlairEvents = [UserFlairChanged, UserFlairSwitched] as const
export type UserFlairEvent = OneOf<typeof userFlairEvents>

export const linkFlairEvents = [LinkFlairChanged] as const
export type LinkFlairEvent = OneOf<typeof linkFlairEvents>

export type UserFlair = Flair & { readonly shown: boolean }

const initial: UserFlair = { ...noFlair, shown: true }
const toFlair = (_: unknown, { text, css, shown }: UserFlair): UserFlair => ({ text, css, shown })

/** The flair of an account in a subsite; the id is `<subsite>.<account>`. */
export const UserFlair: Aggregate<UserFlair, UserFlairEvent> = {
  category: 'flair',
  subsiteOf: firstPart,
  decidedByLast: true,
  on: { UserFlairChanged: toFlair, UserFlairSwitched: toFlair },
}

/** `template`: the template that it was made from. */
export type LinkFlair = Flair & { readonly template?: string | undefined }

export const LinkFlair: Aggregate<LinkFlair, LinkFlairEvent> = {
  category: 'linkflair',
  subsiteOf: (id) => id,
  decidedByLast: true,
  on: { LinkFlairChanged: (_, { text, css, template }) => ({ text, css, template }) },
}

type FlairOwner = { readonly subsite: SubsiteId; readonly account: AccountId }

/** Replaces text and classes together. */
export const setUserFlair =
  (between: FlairOwner, { text, css }: Flair, csv = false): Decide<UserFlair, UserFlairEvent> =>
  (state = initial) => {
    if (isSame(state, { text, css })) return noEvents
    const cleared = isEmpty({ text, css })
    const before = { account: between.account, text: state.text, css: state.css }
    return decideEvents(UserFlairChanged({ ...between, text, css, shown: state.shown, csv, ...(cleared && { cleared }), before }))
  }

/** Shows or hides the flair, which itself does not change. */
export const showFlair =
  (between: FlairOwner, shown: boolean): Decide<UserFlair, UserFlairEvent> =>
  (state = initial) =>
    state.shown === shown ? noEvents : decideEvents(UserFlairSwitched({ ...between, text: state.text, css: state.css, shown }))

export const setLinkFlair =
  (
    { subsite, erased }: { readonly subsite: SubsiteId; readonly erased: boolean },
    target: Target,
    { text, css, template }: LinkFlair,
  ): Decide<LinkFlair, LinkFlairEvent> =>
  (state: LinkFlair = noFlair) => {
    if (erased) return refuse('THING_ERASED', 'link')
    const { author } = target
    if (isSame(state, { text, css }) && state.template === template) return noEvents
    const before = { account: author, text: state.text, css: state.css, template: state.template ?? null }
    return decideEvents(LinkFlairChanged({ subsite, target, author, text, css, ...(template && { template }), before }))
  }
