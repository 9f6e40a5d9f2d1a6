import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Decide } from '../../../domain/decision.ts'
import type { SubsiteId } from '../../../domain/ids.ts'
import { SITE_RULES } from '../../../domain/report.ts'
import {
  createRule,
  deleteRule,
  editRule,
  type Rule,
  RuleKind,
  type RulesEvent,
  reorderRules,
  ruleKinds,
  ruleLimits,
  SubsiteRules,
} from '../../../domain/rules.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { describeParam, documentRequired, json, mapParam, markdown, oneOf, optional, rawText, text } from '../../contract/params.ts'
import { form } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { type Act, decodeLate, moderatorHere, subsiteHere } from '../../needs/facts.ts'
import { at, placeHere, subsiteThen } from '../../needs/past.ts'
import { ruleRecord, ruleRecordShape } from '../../present/subsite.ts'

const { get, post } = section('Subsites', { scope: 'modconfig', login: 'moderator', errors: 'form', accountQuota: 'settings' })

const aboutRules = get('/s/{sub}/about/rules', {
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  answers: { 200: shape.recordSchema({ site_rules: shape.listOf(shape.text('Spam')), rules: shape.listOf(ruleRecordShape) }) },
  summary: 'The rules of a subsite, and those of the whole site.',
  cache: 'public',
  params: { at },
  uses: ['places', 'readEvent', 'readUntil'],
  needs: { subsite: subsiteHere(), place: placeHere, past: subsiteThen },
  handle: ({ subsite, past }) => ({
    kind: 'json',
    body: { site_rules: SITE_RULES, rules: (past ?? subsite).rules.map(ruleRecord) },
    fleeting: past !== undefined,
  }),
})

/** Returns the answer with the rules, which clients read from a text that contains a list of them. */
const answerOf = (description: string) => ({ 200: form(shape.recordSchema({ rules: shape.text('[]', description) })) })

const rulesReply = (rules: readonly object[]) => ({ kind: 'form', data: { rules: JSON.stringify(rules) } }) as const

/** A rule as a form describes it. */
const aboutRule = {
  answers: answerOf('JSON: a list of the one rule.'),
  needs: {
    act: moderatorHere('config'),
    short_name: decodeLate(describeParam(text({ max: ruleLimits.name, line: true }), 'its name, unique among the rules of the subsite')),
    description: decodeLate(markdown(ruleLimits.description, text({ max: ruleLimits.description, empty: true }))),
    kind: decodeLate(describeParam(oneOf(...ruleKinds), 'what it is about')),
  },
} as const

type RuleContext = Context & { readonly act: Act; readonly short_name: string; readonly description: string; readonly kind: Rule['kind'] }

const write = async (
  context: RuleContext,
  decide: (subsite: SubsiteId, rule: Omit<Rule, 'created'>) => Decide<SubsiteRules, RulesEvent>,
) => {
  const { act, short_name: name, description, kind, run, load } = context
  const recorded = await run(SubsiteRules, act.subsite, decide(act.subsite, { name, description, kind }))
  if (E.isLeft(recorded)) return recorded
  const rules = (await load(SubsiteRules, act.subsite)) ?? []
  const priority = rules.findIndex((rule) => rule.name === name)
  const rule = rules[priority]
  return rulesReply(rule ? [ruleRecord(rule, priority)] : [])
}

const add = post('[/s/{sub}]/api/add_subsite_rule', {
  aliases: ['[/s/{sub}]/api/add_subreddit_rule'],
  ...aboutRule,
  summary: 'Add a rule to a subsite, after the others.',
  notes: 'For moderators with `config`. A subsite has at most ten rules.',
  handle: (context) => write(context, createRule),
})

const RuleAsSeen = t.type({ description: t.string, kind: RuleKind })

const update = post('[/s/{sub}]/api/update_subsite_rule', {
  aliases: ['[/s/{sub}]/api/update_subreddit_rule'],
  ...aboutRule,
  summary: 'Change a rule of a subsite.',
  notes: 'For moderators with `config`. The rule keeps its place.',
  params: {
    old_short_name: describeParam(documentRequired(rawText()), 'the name it has'),
    expected: describeParam(
      optional(json(RuleAsSeen)),
      'its `description` and `kind` as you saw them: 409 `CONFLICT` if somebody changed them since',
    ),
  },
  handle: (context) => {
    const { old_short_name: before, expected } = context.params
    return write(context, (subsite, rule) => editRule(subsite, before.trim(), rule, expected))
  },
})

const remove = post('[/s/{sub}]/api/remove_subsite_rule', {
  aliases: ['[/s/{sub}]/api/remove_subreddit_rule'],
  summary: 'Remove a rule of a subsite; those after it move up.',
  notes: 'For moderators with `config`.',
  params: { short_name: describeParam(documentRequired(rawText()), 'its name') },
  needs: { act: moderatorHere('config') },
  handle: ({ act, params, run }) => run(SubsiteRules, act.subsite, deleteRule(act.subsite, params.short_name.trim())),
})

const decodeText = (text: string): string =>
  E.getOrElse(() => text)(
    E.tryCatch(
      () => decodeURIComponent(text),
      () => undefined,
    ),
  )

const order = mapParam(
  describeParam(documentRequired(rawText()), 'the names of all rules in their new order, with commas between; they may be percent-encoded'),
  decodeText,
)

const reorder = post('[/s/{sub}]/api/reorder_subsite_rules', {
  aliases: ['[/s/{sub}]/api/reorder_subreddit_rules'],
  answers: answerOf('JSON: a list of all rules.'),
  summary: 'Put the rules of a subsite in another order.',
  notes: 'For moderators with `config`. Each rule is named once. The rules keep all else; the change is one entry in the moderation log.',
  params: { new_rule_order: order },
  needs: { act: moderatorHere('config') },
  handle: async ({ act, params, run, load }) => {
    const recorded = await run(SubsiteRules, act.subsite, reorderRules(act.subsite, params.new_rule_order))
    return E.isLeft(recorded) ? recorded : rulesReply(((await load(SubsiteRules, act.subsite)) ?? []).map(ruleRecord))
  },
})

export const ruleEndpoints: readonly AnyEndpoint[] = [aboutRules, add, update, remove, reorder]
