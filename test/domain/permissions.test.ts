import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { holds, isUnlimited, parsePermissions, permissionNames } from '../../src/domain/moderators.ts'
import { may, type ShownStanding, type Standing, shownStanding, standingOf, stranger } from '../../src/domain/standing.ts'
import { isFiltered, mayComment, maySubmit, mayView } from '../../src/domain/subsite-access.ts'
import { subsiteTypes } from '../../src/domain/subsite-settings.ts'
import fc from '../support/properties.ts'

test('permissions are stored in one form', (t) => {
  const forms: readonly (readonly [string | undefined, string])[] = [
    [undefined, '+all'],
    ['', '+all'],
    ['+all,-posts', '+all'],
    ['+all,-all', '+all'],
    ['-all', ''],
    ['-all,+posts,-access', '-access,+posts'],
    ['+wiki, +access', '+access,+wiki'],
    ['+posts,-posts', '-posts'],
    ['-all,+chat_config,+mail', '+mail'],
    [',', ''],
  ]
  for (const [given, stored] of forms) t.deepEqual(parsePermissions(given), E.right(stored), given)
})
test('unknown permissions are refused', (t) => {
  for (const given of ['+tea', 'mail', '+ALL', '+'])
    t.deepEqual(parsePermissions(given), E.left({ code: 'INVALID_PERMISSIONS', field: 'permissions' }), given)
})
test('a moderator holds the permissions granted, not those denied or left out, also as read from the stored form', (t) => {
  const grants = fc.uniqueArray(fc.tuple(fc.constantFrom(...permissionNames), fc.boolean()), { selector: ([name]) => name, minLength: 1 })
  fc.assert(
    fc.property(grants, (terms) => {
      const stored = parsePermissions(terms.map(([name, yes]) => `${yes ? '+' : '-'}${name}`).join(','))
      if (E.isLeft(stored)) return false
      const granted = new Set(terms.filter(([, yes]) => yes).map(([name]) => name))
      return permissionNames.every((name) => holds(stored.right, name) === granted.has(name)) && E.isRight(parsePermissions(stored.right))
    }),
  )
  t.true(permissionNames.every((name) => holds('+all', name)))
  t.true(isUnlimited('+all'))
  t.false(isUnlimited(permissionNames.map((name) => `+${name}`).join(',')))
  t.false(holds(undefined, 'posts'))
})

const people: Readonly<Record<string, Standing>> = {
  stranger,
  invited: { ...stranger, invited: true },
  contributor: { ...stranger, contributor: true },
  moderator: { ...stranger, permissions: '' },
  gold: { ...stranger, gold: true },
  admin: { ...stranger, admin: true },
  banned: { ...stranger, banned: true, contributor: true },
}
const whoCan = (rule: (type: (typeof subsiteTypes)[number], standing: Standing) => boolean) =>
  Object.fromEntries(
    subsiteTypes.map((type) => [
      type,
      Object.keys(people)
        .filter((name) => rule(type, people[name] ?? stranger))
        .join(' '),
    ]),
  )

test('the type of a subsite determines who may view it', (t) => {
  const everybody = Object.keys(people).join(' ')
  t.deepEqual(whoCan(mayView), {
    gold_restricted: everybody,
    archived: everybody,
    restricted: everybody,
    gold_only: 'invited moderator gold admin',
    employees_only: 'invited moderator admin',
    private: 'invited contributor moderator admin banned',
    public: everybody,
  })
})
test('the type of a subsite determines who may submit to it', (t) => {
  t.deepEqual(whoCan(maySubmit), {
    gold_restricted: 'contributor moderator gold admin',
    archived: 'contributor moderator admin',
    restricted: 'contributor moderator admin',
    gold_only: 'moderator gold admin',
    employees_only: 'moderator admin',
    private: 'contributor moderator admin',
    public: 'stranger invited contributor moderator gold admin',
  })
})
test('the type of a subsite determines who may comment in it', (t) => {
  const members = 'contributor moderator admin'
  const allButBanned = 'stranger invited contributor moderator gold admin'
  t.deepEqual(whoCan(mayComment), {
    gold_restricted: 'contributor moderator gold admin',
    archived: members,
    restricted: allButBanned,
    gold_only: 'moderator gold admin',
    employees_only: 'moderator admin',
    private: members,
    public: allButBanned,
  })
})
test('only the spam setting `all` filters posts, and not those of trusted accounts', (t) => {
  const filtered = Object.keys(people).filter((name) => isFiltered('all', people[name] ?? stranger))
  t.deepEqual(filtered, ['stranger', 'invited', 'gold'])
  t.false(isFiltered('high', stranger))
  t.false(isFiltered('low', stranger))
})
test('a viewer’s standing is read from the moderators and the relation', (t) => {
  const at = 1_000
  const origin = { id: 'x', revision: 0 }
  const moderators = {
    moderators: [{ account: 't2_ann', permissions: '+posts', origin }],
    invitations: [{ account: 't2_bob', permissions: '+all', origin }],
  }
  const relation = { banned: { until: at, note: '', by: 't2_ann', noteBy: 't2_ann' }, contributor: true }
  const ann = standingOf('t2_ann', { moderators, relation: undefined, admin: false, at })
  const bob = standingOf('t2_bob', { moderators, relation, admin: false, at })
  t.true(may(ann, 'posts'))
  t.false(may(ann, 'mail'))
  t.true(may({ ...ann, admin: true }, 'mail'))
  t.deepEqual(bob, { ...stranger, invited: true, contributor: true })
  t.true(standingOf('t2_bob', { moderators, relation, admin: false, at: at - 1 }).banned)
})

test('the type of authority from the log and the type of what documents show cannot be used for each other', (t) => {
  const shown = shownStanding({ permissions: '+all' })
  const known = standingOf('t2_ann', { moderators: undefined, relation: undefined, admin: true, at: 0 })
  // @ts-expect-error a decision takes what the log says
  t.true(may(shown, 'posts'))
  // @ts-expect-error an answer is presented by what documents show
  const presented: ShownStanding = known
  t.true(presented.admin)
})
