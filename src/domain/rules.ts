// Decision 80.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, optional, recordCodec } from './event.ts'
import { SubsiteId } from './ids.ts'

/** The things that a rule is about. */
export const ruleKinds = ['link', 'comment', 'all'] as const
export type RuleKind = (typeof ruleKinds)[number]
export const RuleKind = t.keyof({ link: null, comment: null, all: null })

/** The most rules of one subsite. */
export const MAX_RULES_PER_SUBSITE = 10
/** The most characters of each text. */
export const ruleLimits = { name: 50, description: 500 } as const

const subsite = field(SubsiteId, 'The subsite.', 'public')
const what = {
  description: field(t.string, 'What it says, in markdown.', 'public'),
  kind: field(RuleKind, 'Whether it is about links, comments or both.', 'public'),
}
const words = { name: field(t.string, 'Its name, which no other rule of the subsite has.', 'public'), ...what }
const names = t.readonlyArray(t.string)

/** A rule belongs to the subsite, like its settings, and stays when its author is erased. */
export const RuleCreated = event(
  'RuleCreated',
  'A moderator made a rule, the last one of the subsite.',
  { subsite, ...words },
  { by: 'public' },
)
export const RuleEdited = event(
  'RuleEdited',
  'A moderator changed a rule.',
  {
    subsite,
    before: field(t.string, 'The name that it had.', 'public'),
    ...words,
    previousDescription: field(optional(t.string), 'What it said; earlier versions did not record it.', 'public'),
    previousKind: field(optional(RuleKind), 'What it was about; earlier versions did not record it.', 'public'),
  },
  { by: 'public' },
)
export const RuleDeleted = event(
  'RuleDeleted',
  'A moderator deleted a rule; those after it move up.',
  {
    subsite,
    name: words.name,
    before: field(optional(recordCodec('FormerRule', what)), 'What it was; earlier versions did not record it.', 'public'),
  },
  { by: 'public' },
)
export const RulesReordered = event(
  'RulesReordered',
  'A moderator changed the order of the rules.',
  {
    subsite,
    before: field(names, 'The names of all rules in their order before.', 'public'),
    after: field(names, 'The names of all rules in their order now.', 'public'),
  },
  { by: 'public' },
)
export const rulesEvents = [RuleCreated, RuleEdited, RuleDeleted, RulesReordered] as const
export type RulesEvent = OneOf<typeof rulesEvents>

type Words = { readonly name: string; readonly description: string; readonly kind: RuleKind }
/** `created` is in milliseconds since 1970. */
export type Rule = Words & { readonly created: number }

/** The rules of a subsite by priority, on `rules-<subsite>`. Names are unique; their case counts. */
export type SubsiteRules = readonly Rule[]

const hasName = (name: string) => (rule: Rule) => rule.name === name

export const SubsiteRules: Aggregate<SubsiteRules, RulesEvent> = {
  category: 'rules',
  subsiteOf: (id) => id,
  on: {
    RuleCreated: (rules = [], { name, description, kind }, { at }) => [...rules, { name, description, kind, created: at }],
    RuleEdited: (rules = [], { before, name, description, kind }) =>
      rules.map((rule) => (rule.name === before ? { ...rule, name, description, kind } : rule)),
    RuleDeleted: (rules = [], { name }) => rules.filter((rule) => rule.name !== name),
    RulesReordered: (rules = [], { after }) => after.flatMap((name) => rules.find(hasName(name)) ?? []),
  },
}

/** Creates a rule, as the last of the subsite's rules. */
export const createRule =
  (subsite: SubsiteId, rule: Words): Decide<SubsiteRules, RulesEvent> =>
  (rules = []) => {
    if (rules.some(hasName(rule.name))) return refuse('SR_RULE_EXISTS', 'short_name')
    if (rules.length >= MAX_RULES_PER_SUBSITE) return refuse('SR_RULE_TOO_MANY', 'short_name')
    return decideEvents(RuleCreated({ subsite, ...rule }))
  }

/** Edits a rule, which keeps its place and the time of its creation. `CONFLICT` if it is no longer as the actor saw it. */
export const editRule =
  (subsite: SubsiteId, before: string, rule: Words, seen?: Omit<Words, 'name'>): Decide<SubsiteRules, RulesEvent> =>
  (rules = []) => {
    const old = rules.find(hasName(before))
    if (!old) return refuse('SR_RULE_DOESNT_EXIST', 'old_short_name')
    if (rule.name !== before && rules.some(hasName(rule.name))) return refuse('SR_RULE_EXISTS', 'short_name')
    if (rule.name === before && rule.description === old.description && rule.kind === old.kind) return noEvents
    if (seen && (seen.description !== old.description || seen.kind !== old.kind)) return refuse('CONFLICT', 'expected')
    return decideEvents(RuleEdited({ subsite, before, ...rule, previousDescription: old.description, previousKind: old.kind }))
  }

/** Deletes a rule. The rules after it move up. */
export const deleteRule =
  (subsite: SubsiteId, name: string): Decide<SubsiteRules, RulesEvent> =>
  (rules = []) => {
    const rule = rules.find(hasName(name))
    if (!rule) return refuse('SR_RULE_DOESNT_EXIST', 'short_name')
    return decideEvents(RuleDeleted({ subsite, name, before: { description: rule.description, kind: rule.kind } }))
  }

/**
 * Returns all of these names in the order of a text that lists them with commas between; undefined if it does not. Names may contain
 * commas, too.
 */
const orderIn = (list: string, names: readonly string[]): readonly string[] | undefined => {
  if (names.length === 0) return list === '' ? [] : undefined
  for (const name of names) {
    const end = names.length === 1 ? name : `${name},`
    const rest = list.startsWith(end)
      ? orderIn(
          list.slice(end.length),
          names.filter((other) => other !== name),
        )
      : undefined
    if (rest) return [name, ...rest]
  }
  return undefined
}

/** Reorders the rules. `list` holds the names of all rules in their new order, with commas between. */
export const reorderRules =
  (subsite: SubsiteId, list: string): Decide<SubsiteRules, RulesEvent> =>
  (rules = []) => {
    const before = rules.map(({ name }) => name)
    const after = orderIn(list, before)
    if (!after) return refuse('INVALID_OPTION', 'new_rule_order')
    return after.every((name, place) => name === before[place]) ? noEvents : decideEvents(RulesReordered({ subsite, before, after }))
  }
