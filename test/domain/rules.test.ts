import test from 'ava'
import {
  createRule,
  deleteRule,
  editRule,
  MAX_RULES_PER_SUBSITE,
  RuleCreated,
  RuleDeleted,
  RuleEdited,
  RulesReordered,
  reorderRules,
  SubsiteRules,
} from '../../src/domain/rules.ts'
import { specification } from '../support/specification.ts'

const { given } = specification(SubsiteRules)
const subsite = 't4_1'
const rule = (name: string, description = '') => ({ name, description, kind: 'all' as const })
const created = (name: string) => RuleCreated({ subsite, ...rule(name) })
const full = Array.from({ length: MAX_RULES_PER_SUBSITE }, (_, n) => created(`rule ${n}`))
const deleted = RuleDeleted({ subsite, name: 'a', before: { description: '', kind: 'all' } })
const renamed = RuleEdited({ subsite, before: 'a', ...rule('b', 'why'), previousDescription: '', previousKind: 'all' })

const create = (name: string) => createRule(subsite, rule(name))
const edit = (before: string, to: string, description = '') => editRule(subsite, before, rule(to, description))
const remove = (name: string) => deleteRule(subsite, name)

test('a rule can be created', given().when(create('Be kind')).records(created('Be kind')))
test('two rules cannot have the same name', given(created('Be kind')).when(create('Be kind')).refuses('SR_RULE_EXISTS', 'short_name'))
test('rule names that differ in case are different', given(created('Be kind')).when(create('be kind')).records(created('be kind')))
test(
  'a subsite can have at most ten rules',
  given(...full)
    .when(create('one more'))
    .refuses('SR_RULE_TOO_MANY', 'short_name'),
)
test(
  'deleting a rule makes room for another',
  given(created('a'), ...full.slice(1), deleted)
    .when(create('one more'))
    .records(created('one more')),
)
test(
  'the name and the description of a rule can be changed',
  given(created('a'))
    .when(edit('a', 'b', 'why'))
    .records(renamed),
)
test(
  'a renamed rule cannot be found by its old name',
  given(created('a'), renamed).when(edit('a', 'c')).refuses('SR_RULE_DOESNT_EXIST', 'old_short_name'),
)
test('editing a rule to the same content changes nothing', given(created('a')).when(edit('a', 'a')).recordsNothing)
test('an unknown rule cannot be changed', given().when(edit('a', 'b')).refuses('SR_RULE_DOESNT_EXIST', 'old_short_name'))
test(
  'a rule cannot take the name of another',
  given(created('a'), created('b')).when(edit('a', 'b')).refuses('SR_RULE_EXISTS', 'short_name'),
)
test(
  'what a rule said is recorded when it is edited',
  given(created('a'), renamed)
    .when(editRule(subsite, 'b', { name: 'c', description: 'how', kind: 'link' }))
    .records(
      RuleEdited({ subsite, before: 'b', name: 'c', description: 'how', kind: 'link', previousDescription: 'why', previousKind: 'all' }),
    ),
)
test(
  'what a rule said is recorded when it is deleted',
  given(created('a'), renamed)
    .when(remove('b'))
    .records(RuleDeleted({ subsite, name: 'b', before: { description: 'why', kind: 'all' } })),
)
test('a rule can be deleted', given(created('a')).when(remove('a')).records(deleted))
test('an unknown rule cannot be deleted', given(created('a')).when(remove('A')).refuses('SR_RULE_DOESNT_EXIST', 'short_name'))
test('a deleted rule cannot be deleted again', given(created('a'), deleted).when(remove('a')).refuses('SR_RULE_DOESNT_EXIST', 'short_name'))

const three = [created('a'), created('b'), created('c')] as const
const reordered = RulesReordered({ subsite, before: ['a', 'b', 'c'], after: ['c', 'a', 'b'] })
test(
  'rules can be put in another order',
  given(...three)
    .when(reorderRules(subsite, 'c,a,b'))
    .records(reordered),
)
test('rules in another order keep it', given(...three, reordered).when(reorderRules(subsite, 'c,a,b')).recordsNothing)
test('the order that the rules have changes nothing', given(...three).when(reorderRules(subsite, 'a,b,c')).recordsNothing)
for (const list of ['', 'a,b', 'a,b,c,d', 'a,b,b', 'a,b,c,a', 'a,b,x', 'a;b;c', 'a,b,c,'])
  test(
    `an order must name each rule once, which '${list}' does not`,
    given(...three)
      .when(reorderRules(subsite, list))
      .refuses('INVALID_OPTION', 'new_rule_order'),
  )
test('a subsite without rules has one order', given().when(reorderRules(subsite, '')).recordsNothing)
test(
  'names of rules in an order may hold commas',
  given(created('a'), created('a, b'), created(' b'), created('a,'))
    .when(reorderRules(subsite, 'a, b,a,,a, b'))
    .records(RulesReordered({ subsite, before: ['a', 'a, b', ' b', 'a,'], after: ['a', ' b', 'a,', 'a, b'] })),
)
