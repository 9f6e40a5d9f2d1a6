import test from 'ava'
import fc from 'fast-check'
import { either as E } from 'fp-ts'
import { holds, isUnlimited, parsePermissions, permissionNames } from '../../src/domain/permissions.ts'
import { isFiltered, may, mayComment, maySubmit, mayView, type Standing, standingOf, stranger } from '../../src/domain/standing.ts'
import { subsiteTypes } from '../../src/domain/subsite-settings.ts'

test('permissions take their stored form', (t) => {
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
test('what is granted is held, what is denied or left out is not, and the stored form stands for itself', (t) => {
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

test('who may view which type of subsite', (t) => {
  const everybody = Object.keys(people).join(' ')
  t.deepEqual(whoCan(mayView), {
    gold_restricted: everybody,
    archived: everybody,
    restricted: everybody,
    gold_only: 'invited contributor moderator gold admin banned',
    employees_only: 'invited contributor moderator admin banned',
    private: 'invited contributor moderator admin banned',
    public: everybody,
  })
})
test('who may submit to which type of subsite', (t) => {
  t.deepEqual(whoCan(maySubmit), {
    gold_restricted: 'contributor moderator gold admin',
    archived: 'contributor moderator admin',
    restricted: 'contributor moderator admin',
    gold_only: 'contributor moderator gold admin',
    employees_only: 'contributor moderator admin',
    private: 'contributor moderator admin',
    public: 'stranger invited contributor moderator gold admin',
  })
})
test('who may comment in which type of subsite', (t) => {
  const members = 'contributor moderator admin'
  const allButBanned = 'stranger invited contributor moderator gold admin'
  t.deepEqual(whoCan(mayComment), {
    gold_restricted: 'contributor moderator gold admin',
    archived: members,
    restricted: allButBanned,
    gold_only: 'contributor moderator gold admin',
    employees_only: members,
    private: members,
    public: allButBanned,
  })
})
test('only the filter `all` filters, and not those who are trusted', (t) => {
  const filtered = Object.keys(people).filter((name) => isFiltered('all', people[name] ?? stranger))
  t.deepEqual(filtered, ['stranger', 'invited', 'gold'])
  t.false(isFiltered('high', stranger))
  t.false(isFiltered('low', stranger))
})
test('how somebody stands is read from moderators and relation', (t) => {
  const at = 1_000
  const origin = { id: 'x', revision: 0 }
  const moderators = {
    moderators: [{ account: 't2_ann', permissions: '+posts', since: 0, origin }],
    invitations: [{ account: 't2_bob', permissions: '+all', origin }],
  }
  const relation = { ban: { until: at, note: '', by: 't2_ann' }, contributor: true }
  const ann = standingOf('t2_ann', { moderators, relation: undefined, admin: false, at })
  const bob = standingOf('t2_bob', { moderators, relation, admin: false, at })
  t.true(may(ann, 'posts'))
  t.false(may(ann, 'mail'))
  t.true(may({ ...ann, admin: true }, 'mail'))
  t.deepEqual(bob, { ...stranger, invited: true, contributor: true })
  t.true(standingOf('t2_bob', { moderators, relation, admin: false, at: at - 1 }).banned)
})
