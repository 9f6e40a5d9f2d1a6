import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import {
  createMulti,
  defaultContent,
  deleteMulti,
  editMulti,
  endRenamed,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_MULTIS_PER_ACCOUNT,
  MAX_SUBSITES_PER_MULTI,
  MultiCreated,
  MultiDeleted,
  MultiEdited,
  MultiStream,
  putMulti,
  renameMulti,
  withoutSubsite,
  withSubsite,
} from '../../src/domain/multi.ts'
import { copyTexts } from '../../src/domain/multi-copies.ts'
import { namesFrom } from '../../src/domain/multi-names.ts'
import { parseMultiPath } from '../../src/domain/multi-path.ts'
import fc from '../support/properties.ts'
import { specification } from '../support/specification.ts'

const { given } = specification(MultiStream)
const id = { account: 't2_1a', kind: 'm', name: 'drinks' } as const
const beginning = { ...defaultContent, subsites: ['t4_1'], created: 5, copiedFrom: null }
const drinks = { ...id, ...beginning }
const none = { count: 0, described: 0 }
const created = MultiCreated(drinks)
const gone = MultiDeleted(id)

test(
  'a multi can be created',
  given()
    .when(createMulti(id, beginning, none))
    .records(created),
)
test(
  'a second multi at the same path is refused',
  given(created)
    .when(createMulti(id, beginning, none))
    .refuses('MULTI_EXISTS', 'multipath'),
)
test(
  'a multi can be created at the path of a deleted one',
  given(created, gone)
    .when(createMulti(id, beginning, none))
    .records(created),
)
test(
  'an account that has the most multis cannot create another',
  given()
    .when(createMulti(id, beginning, { ...none, count: MAX_MULTIS_PER_ACCOUNT }))
    .refuses('TOO_MANY_MULTIS', 'multipath'),
)
const many = Array.from({ length: MAX_SUBSITES_PER_MULTI + 1 }, (_, n) => `t4_${n.toString(36)}`)
test(
  'a multi with too many subsites cannot be created',
  given()
    .when(createMulti(id, { ...beginning, subsites: many }, none))
    .refuses('MULTI_TOO_MANY_SUBSITES', 'subreddits'),
)
test(
  'a subsite cannot be added to a multi that has the most',
  given(MultiCreated({ ...drinks, subsites: many.slice(1) }))
    .when(editMulti(withSubsite('t4_0'), none))
    .refuses('MULTI_TOO_MANY_SUBSITES', 'subreddits'),
)
const described = { ...none, described: MAX_DESCRIPTION_CHARACTERS - 1 }
test(
  'the descriptions of an account have a limit of characters together',
  given(created)
    .when(editMulti(() => ({ description: 'xx' }), described))
    .refuses('MULTI_TOO_LONG_DESCRIPTIONS', 'description_md'),
)
test(
  'a description beyond that limit can be shortened',
  given(MultiCreated({ ...drinks, description: 'xxx' }))
    .when(editMulti(() => ({ description: 'xx' }), described))
    .records(MultiEdited({ ...drinks, description: 'xx' })),
)
test(
  'the event of an edit contains the whole multi',
  given(created)
    .when(editMulti(withSubsite('t4_2'), none))
    .records(MultiEdited({ ...drinks, subsites: ['t4_1', 't4_2'] })),
)
test('adding a subsite that a multi has changes nothing', given(created).when(editMulti(withSubsite('t4_1'), none)).recordsNothing)
test('a subsite that a multi does not have cannot be removed', given(created).when(editMulti(withoutSubsite('t4_2'), none)).recordsNothing)
test(
  'a multi that does not exist cannot be edited',
  given(created, gone)
    .when(editMulti(withSubsite('t4_2'), none))
    .refuses('MULTI_NOT_FOUND', 'multipath'),
)
test(
  'putting a multi that does not exist creates it',
  given()
    .when(putMulti(id, { subsites: ['t4_1'] }, 5, none))
    .records(created),
)
test(
  'putting a multi that exists changes it and keeps its time of creation',
  given(created)
    .when(putMulti(id, { visibility: 'public' }, 9, none))
    .records(MultiEdited({ ...drinks, visibility: 'public' })),
)
test('putting the same again changes nothing', given(created).when(putMulti(id, { subsites: ['t4_1'] }, 9, none)).recordsNothing)

const standing = { multi: { ...drinks, displayName: 'To drink' }, revision: 3 }
test(
  'renaming creates the whole multi at the new path and records the old one',
  given()
    .when(renameMulti(standing, { name: 'cups', displayName: undefined }, none))
    .records(MultiCreated({ ...drinks, name: 'cups', displayName: 'To drink', renamed: { from: 'drinks', revision: 3 } })),
)
test(
  'a renamed multi without a display name keeps the name that it was shown by',
  given()
    .when(renameMulti({ ...standing, multi: drinks }, { name: 'cups', displayName: undefined }, none))
    .records(MultiCreated({ ...drinks, name: 'cups', displayName: 'drinks', renamed: { from: 'drinks', revision: 3 } })),
)
test(
  'a multi cannot be renamed to the path of another',
  given(created)
    .when(renameMulti(standing, { name: 'drinks', displayName: 'x' }, none))
    .refuses('MULTI_EXISTS', 'multipath'),
)
test(
  'a multi cannot be renamed if the account has too many, as after concurrent renames of one',
  given()
    .when(renameMulti(standing, { name: 'cups', displayName: undefined }, { ...none, count: MAX_MULTIS_PER_ACCOUNT }))
    .refuses('TOO_MANY_MULTIS', 'multipath'),
)
const ann = 't2_1b'
const quotes = { quotedName: { author: ann, text: 'Teas' }, quotedDescription: { author: ann, text: 'Hot.' } }
const copy = { ...drinks, description: 'copied from [x](x)', ...quotes }
const quoting = given(MultiCreated(copy))
test(
  'the owner of a copy who writes a text of its own no longer quotes that of the source',
  quoting
    .when(editMulti(() => ({ displayName: 'Mine', description: 'Hot.' }), none))
    .records(MultiEdited({ ...drinks, displayName: 'Mine', description: 'Hot.' })),
)
test(
  'the owner of a copy who sends back what is shown still quotes the source',
  quoting.when(editMulti(() => ({ displayName: 'Teas', description: 'Hot.\n\ncopied from [x](x)' }), none)).recordsNothing,
)
test(
  'other changes of a copy keep what it quotes',
  quoting.when(editMulti(() => ({ visibility: 'public' }), none)).records(MultiEdited({ ...copy, visibility: 'public' })),
)
test(
  'a renamed copy keeps what it quotes',
  given()
    .when(renameMulti({ multi: copy, revision: 3 }, { name: 'cups', displayName: undefined }, none))
    .records(MultiCreated({ ...copy, name: 'cups', renamed: { from: 'drinks', revision: 3 } })),
)
test(
  'a quoted description counts towards the limit of an account',
  given()
    .when(createMulti(id, { ...beginning, ...quotes }, { ...none, described: MAX_DESCRIPTION_CHARACTERS - 1 }))
    .refuses('MULTI_TOO_LONG_DESCRIPTIONS', 'description_md'),
)
const source = { ...drinks, account: ann, displayName: 'Teas', description: 'Hot.' }
test('the texts of a copy are those of the author of the source, of its own account, or of whom the source quotes', (t) => {
  const line = 'copied from [x](x)'
  t.deepEqual(copyTexts(source, 'x', id.account), { displayName: '', description: line, ...quotes })
  t.deepEqual(copyTexts(source, 'x', ann), { displayName: 'Teas', description: `Hot.\n\n${line}` })
  t.deepEqual(copyTexts(copy, 'y', 't2_1c'), { displayName: '', description: `${line}\n\ncopied from [y](y)`, ...quotes })
  t.deepEqual(copyTexts(copy, 'y', ann), { displayName: 'Teas', description: `Hot.\n\n${line}\n\ncopied from [y](y)` })
  t.deepEqual(copyTexts({ ...drinks, account: ann }, 'x', id.account), { displayName: 'drinks', description: line })
})
test('a renamed multi is deleted at the old path', given(created).when(endRenamed(id, 0)).records(gone))
test(
  'a multi that changed since it was renamed stays at the old path',
  given(created, MultiEdited(drinks)).when(endRenamed(id, 0)).recordsNothing,
)
test('a multi that was created again at the old path stays', given(created, gone, created).when(endRenamed(id, 0)).recordsNothing)
test('a multi can be deleted', given(created).when(deleteMulti(id)).records(gone))
test('a deleted multi cannot be deleted again', given(created, gone).when(deleteMulti(id)).refuses('MULTI_NOT_FOUND', 'multipath'))

test('the names suggested for any display name are all different and valid', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.string({ maxLength: 50 })), (displayName) => {
      const names = namesFrom(displayName, 'display_name')
      const legal = E.isRight(names) ? names.right : []
      t.true(E.isRight(names) ? legal.length > 0 : names.left.code === 'BAD_MULTI_NAME')
      t.is(new Set(legal).size, legal.length)
      for (const name of legal) t.deepEqual(parseMultiPath(`/user/ann/m/${name}`, 'to'), E.right({ owner: 'ann', kind: 'm', name }))
    }),
  )
})
