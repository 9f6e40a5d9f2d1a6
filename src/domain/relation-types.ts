/**
 * The types of relationships, by the names that requests, read models and quotas use. Each row says whether the relationship is with a
 * subsite or an account and, for a subsite, how it affects the account. Rows are in the order in which the interface lists them.
 */
const relationTypes = {
  friend: { with: 'account' },
  enemy: { with: 'account' },
  moderator: { with: 'subsite', as: 'moderator' },
  moderator_invite: { with: 'subsite', as: 'moderator' },
  contributor: { with: 'subsite', as: 'approved' },
  banned: { with: 'subsite', as: 'restricted' },
  muted: { with: 'subsite', as: 'restricted' },
  wikibanned: { with: 'subsite', as: 'restricted' },
  wikicontributor: { with: 'subsite', as: 'approved' },
} as const satisfies Readonly<
  Record<string, { readonly with: 'account' } | { readonly with: 'subsite'; readonly as: 'moderator' | 'approved' | 'restricted' }>
>

type RelationTypeTable = typeof relationTypes
export type RelationName = keyof RelationTypeTable
type NamesOf<Row> = { [Name in RelationName]: RelationTypeTable[Name] extends Row ? Name : never }[RelationName]

/** A relationship with a subsite. */
export type RelationType = NamesOf<{ readonly with: 'subsite' }>
/** An approval, in force until it is withdrawn. */
export type Approval = NamesOf<{ readonly as: 'approved' }>
/** A restriction, in force for some time or until it is lifted. */
export type RestrictionType = NamesOf<{ readonly as: 'restricted' }>

export const isWithSubsite = (name: RelationName): name is RelationType => relationTypes[name].with === 'subsite'

export const relationNames = Object.keys(relationTypes) as readonly RelationName[]
