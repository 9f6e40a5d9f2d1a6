import * as E from 'fp-ts/lib/Either.js'
import { LinkFlair, setLinkFlair, setUserFlair, UserFlair } from '../../domain/flair.ts'
import type { AccountId, SubsiteId } from '../../domain/ids.ts'
import { type Link, toLinkTarget } from '../../domain/link.ts'
import { type FlairKind, type FlairTemplate, noSubsiteFlair, SubsiteFlair } from '../../domain/subsite-flair.ts'
import type { SignedInContext } from '../contract/endpoint.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'
import { capacityIn, mayViewSubsite } from './access.ts'

/** The place where flair is set: a link, or an account in a subsite. */
export type FlairTarget = {
  readonly kind: FlairKind
  /** The link or account that has it. */
  readonly thing: string
  readonly subsite: SubsiteId
  /** The account that may choose it if the subsite lets users or authors choose; null if nobody may. */
  readonly owner: AccountId | null
  readonly current: (context: Pick<SignedInContext, 'load'>) => Promise<LinkFlair | undefined>
  readonly set: (context: Pick<SignedInContext, 'run'>, flair: LinkFlair) => ReturnType<SignedInContext['run']>
}

export const onLink = (link: Link): FlairTarget => ({
  kind: 'link',
  thing: link.id,
  subsite: link.subsite,
  owner: link.deleted ? null : link.author,
  current: ({ load }) => load(LinkFlair, link.id),
  set: ({ run }, flair) => run(LinkFlair, link.id, setLinkFlair(link, toLinkTarget(link), flair)),
})

export const onAccount = (subsite: SubsiteId, account: AccountId): FlairTarget => ({
  kind: 'user',
  thing: account,
  subsite,
  owner: account,
  current: ({ load }) => load(UserFlair, `${subsite}.${account}`),
  set: ({ run }, flair) => run(UserFlair, `${subsite}.${account}`, setUserFlair({ subsite, account }, flair)),
})

/**
 * Properties of each kind of flair: the settings that let owners choose theirs and that place it, and the prefix of its classes in offers.
 */
export const flairTable = {
  user: { mayChoose: 'flair_self_enabled', position: 'flair_position', prefix: 'flair-' },
  link: { mayChoose: 'link_flair_self_enabled', position: 'link_flair_position', prefix: '' },
} as const

export const loadOffered = async ({ load }: Pick<SignedInContext, 'load'>, subsite: SubsiteId): Promise<SubsiteFlair> =>
  (await load(SubsiteFlair, subsite)) ?? noSubsiteFlair

/** Returns the capacity in which the viewer may change a flair, if any. The request's command acts in it from then on. */
export const capacityOverFlair = async (
  context: SignedInContext,
  target: FlairTarget,
): Promise<'moderator' | 'admin' | 'user' | undefined> => {
  const { viewer, actAs } = context
  const { kind, subsite, owner } = target
  if (!(await mayViewSubsite(context, subsite))) return undefined
  const capacity = await capacityIn(context, subsite, 'flair')
  if (capacity !== undefined) {
    actAs(capacity)
    return capacity
  }
  const { settings } = await loadOffered(context, subsite)
  actAs('user')
  return settings[flairTable[kind].mayChoose] && owner === viewer.account ? 'user' : undefined
}

export type FlairChoice = {
  readonly target: FlairTarget
  readonly offered: SubsiteFlair
  readonly capacity: Awaited<ReturnType<typeof capacityOverFlair>>
}

/** Returns the choice of flair for a target, for viewers who may choose it. */
export const chosenBy = async (context: SignedInContext, target: FlairTarget): Promise<E.Either<Refusal, FlairChoice>> => {
  const capacity = await capacityOverFlair(context, target)
  return capacity ? E.right({ target, capacity, offered: await loadOffered(context, target.subsite) }) : refuseRule('FORBIDDEN')
}

export const templatesOf = ({ target, offered }: FlairChoice): readonly FlairTemplate[] => offered[target.kind]

export const isModerators = ({ capacity }: FlairChoice): boolean => capacity === 'moderator' || capacity === 'admin'

/** Returns the choice of flair for a viewer's own new things in a subsite, for viewers who may choose it. */
export const choiceOfOwn = (context: SignedInContext, subsite: SubsiteId, kind: FlairKind): Promise<E.Either<Refusal, FlairChoice>> =>
  chosenBy(context, { ...onAccount(subsite, context.viewer.account), kind })

/** Returns the flair of a template, with other words where they may be changed. */
export const flairFrom = (choosing: FlairChoice, id: string, text: string, field: string): E.Either<Refusal, LinkFlair> => {
  const template = templatesOf(choosing).find((one) => one.id === id.toLowerCase())
  if (template === undefined) return refuseRule('NOT_FOUND', field)
  const words = (template.editable || isModerators(choosing)) && text !== '' ? text : template.text
  return E.right({ text: words, css: template.css, template: template.id })
}
