import type { FlairAct, FlairTarget, Line } from './flair-oracle.ts'
import { type LooksAct, sheets, slots } from './looks-oracle.ts'
import fc from './properties.ts'
import { plainSettings, type SettingsAct, texts, type Value, wrongSettings } from './settings-oracle.ts'
import { type Actor, actors } from './staff-oracle.ts'
import { type Person, people, type SeatAct } from './standing-oracle.ts'
import type { PostAct, SubsiteAct } from './subsite-oracle.ts'
import { ordinary, pages, STYLESHEET, type WikiAct } from './wiki-oracle.ts'

/*
 * Random histories of a subsite: acts of all kinds, by anybody, whether they are allowed or not.
 */

/** Colours of images; -1 stands for a file that is none. */
const COLOURS = 3

const whom = fc.constantFrom(...actors)
const whomOrNobody = fc.constantFrom<Actor | 'nobody'>(...actors, ...actors, 'nobody')
const permissions = fc.constantFrom('+flair,+wiki', '+config', '+posts', '+wiki', '+config,+wiki', '+flair,+posts', '+access', '+all')
const link = fc.nat({ max: 3 })
const template = fc.constantFrom(-1, 0, 1, 2, 3, 4, 5, 7)
const kind = fc.constantFrom<'user' | 'link'>('user', 'user', 'link')

const seats = fc.oneof<{ readonly weight: number; readonly arbitrary: fc.Arbitrary<SeatAct> }[]>(
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('invite', 'permit'), whom, permissions }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('seat'), whom, permissions }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('dismiss'), whom: fc.constantFrom('mod', 'gate', 'alice', 'bob') }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('accept', 'accept', 'leavemoderator', 'leavecontributor') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constantFrom('relate', 'unrelate'),
      type: fc.constantFrom('banned', 'contributor', 'wikibanned', 'wikicontributor'),
      whom,
    }),
  },
)

const posts = fc.oneof<{ readonly weight: number; readonly arbitrary: fc.Arbitrary<PostAct> }[]>(
  { weight: 2, arbitrary: fc.record({ act: fc.constant('submit'), kind: fc.constantFrom('link', 'self') }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('say'), on: link }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('suggest'),
      on: link,
      sort: fc.constantFrom('new', 'qa', 'random', 'blank', '', '', 'sideways'),
    }),
  },
)

const flairTarget: fc.Arbitrary<FlairTarget> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ name: whom }) },
  { weight: 5, arbitrary: fc.record({ link }) },
  { weight: 1, arbitrary: fc.constantFrom<FlairTarget>('far', 'nobody') },
)
const text = fc.constantFrom('', 'Brewer', 'Brewer', ' Tea  head ', 'Guest', 'x'.repeat(65))
const elevenClasses = Array.from({ length: 11 }, (_, n) => `c${n}`).join(' ')
const css = fc.constantFrom('', '', 'brown', 'brown', 'brown  big', 'snake_case', elevenClasses)
const line: fc.Arbitrary<Line> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      whom,
      text: fc.constantFrom('', 'Brewer', 'Brewer, head', 'Guest', 'x'.repeat(70)),
      css: fc.constantFrom('', '', 'brown', 'big', 'snake_case'),
      columns: fc.constant(3),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ whom: whomOrNobody, text: fc.constant('Guest'), css: fc.constant('big'), columns: fc.constantFrom(2, 3, 4) }),
  },
)
const flair = fc.oneof<{ readonly weight: number; readonly arbitrary: fc.Arbitrary<FlairAct> }[]>(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('flair'), target: flairTarget, text, css }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('deleteflair'), whom: whomOrNobody }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('flaircsv'), lines: fc.array(line, { minLength: 1, maxLength: 5 }) }) },
  { weight: 5, arbitrary: fc.record({ act: fc.constant('flairtemplate'), template, kind, editable: fc.boolean(), text, css }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('deleteflairtemplate'), template }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('clearflairtemplates'), kind }) },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('flairconfig'),
      enabled: fc.boolean(),
      position: fc.constantFrom('left', 'right', 'right', 'right', 'middle'),
      linkPosition: fc.constantFrom('left', '', 'right', 'right', 'top'),
      ofSelf: fc.boolean(),
      ofOwnLinks: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constant('selectflair'), target: flairTarget, template, text: fc.constantFrom('', 'My own') }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('setflairenabled'), enabled: fc.boolean() }) },
)

const change: fc.Arbitrary<readonly [string, Value]> = fc.oneof(
  ...Object.entries(plainSettings).map(([name, { first, others }]) =>
    fc.constantFrom(first, ...others).map((value) => [name, value] as const),
  ),
  ...Object.keys(texts).map((name) => fc.constantFrom('', 'Be kind.', 'Be brief.').map((value) => [name, value] as const)),
  fc.constantFrom('anyone', 'anyone', 'modonly').map((value) => ['wikimode', value] as const),
  fc.constantFrom('public', 'public', 'restricted').map((value) => ['type', value] as const),
)
const changes = fc.uniqueArray(change, { minLength: 1, maxLength: 4, selector: ([name]) => name }).map((some) => Object.fromEntries(some))
const ruleName = fc.constantFrom('Be kind', 'be kind', 'On topic')
const rule = {
  description: fc.constantFrom('', 'To *everybody*.'),
  kind: fc.constantFrom('link', 'comment', 'all'),
}
const settings = fc.oneof<{ readonly weight: number; readonly arbitrary: fc.Arbitrary<SettingsAct> }[]>(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('settle'),
      changes,
      wrong: fc.oneof({ weight: 9, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat({ max: wrongSettings.length - 1 }) }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('addrule'), name: ruleName, ...rule }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('updaterule'), old: ruleName, name: ruleName, ...rule }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('removerule'), name: ruleName }) },
)

const colour = fc.integer({ min: -1, max: COLOURS - 1 })
const looks = fc.oneof<{ readonly weight: number; readonly arbitrary: fc.Arbitrary<LooksAct> }[]>(
  { weight: 2, arbitrary: fc.record({ act: fc.constant('upload'), name: fc.constantFrom('pot', 'pot', 'lid', 'a b'), colour }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('uploadslot'), slot: fc.constantFrom(...slots), colour }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('delimage'), name: fc.constantFrom('pot', 'lid', '../pot') }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('delslot'), slot: fc.constantFrom(...slots) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('stylesheet'),
      sheet: fc.nat({ max: sheets.length - 1 }),
      save: fc.constantFrom(true, true, true, false),
      reason: fc.constantFrom('', 'calmer'),
    }),
  },
)

const page = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ordinary) }, { weight: 2, arbitrary: fc.constantFrom(...pages) })
const edit: fc.Arbitrary<WikiAct> = page.chain((name) =>
  fc.record({
    act: fc.constant('wikiedit' as const),
    page: fc.constant(name),
    text: name === STYLESHEET ? fc.constantFrom(...sheets.map(({ source }) => source)) : fc.constantFrom('steep', 'boil', 'pour', ''),
    reason: fc.constantFrom('', '', 'because'),
    previous: fc.constantFrom(-1, -1, -1, 0, 0, 1, 2),
  }),
)
const wiki = fc.oneof<{ readonly weight: number; readonly arbitrary: fc.Arbitrary<WikiAct> }[]>(
  { weight: 8, arbitrary: edit },
  {
    weight: 5,
    arbitrary: fc.record({ act: fc.constantFrom('wikihide', 'wikirevert'), page, revision: fc.constantFrom(0, 0, 1, 1, 2, 3) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('wikisettings'), page, permlevel: fc.constantFrom(0, 0, 1, 2, 3), listed: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('alloweditor'), page, whom: whomOrNobody, allow: fc.boolean() }) },
)

const template0 = { act: 'flairtemplate', template: -1, kind: 'user', editable: true, text: 'Guest', css: 'grey' } as const
const edit0 = { act: 'wikiedit', text: 'steep', reason: '', previous: -1 } as const

/** At first two more accounts have seats, and there is some of everything that acts can be about; acts are repeated and undone. */
export const opening: readonly (readonly [Person, SubsiteAct])[] = [
  ['root', { act: 'seat', whom: 'mod', permissions: '+flair,+wiki' }],
  ['ann', { act: 'invite', whom: 'gate', permissions: '+config,+posts' }],
  ['gate', { act: 'accept' }],
  ['alice', { act: 'submit', kind: 'self' }],
  ['bob', { act: 'submit', kind: 'link' }],
  ['bob', { act: 'say', on: 0 }],
  ['gate', { act: 'settle', changes: { wikimode: 'anyone' }, wrong: -1 }],
  ['gate', { act: 'upload', name: 'pot', colour: 0 }],
  ['gate', { act: 'upload', name: 'lid', colour: 1 }],
  ['gate', { act: 'delimage', name: 'lid' }],
  ['gate', { act: 'delimage', name: 'lid' }],
  ['gate', { act: 'uploadslot', slot: 'header', colour: 0 }],
  ['gate', { act: 'stylesheet', sheet: 3, save: true, reason: 'a pot' }],
  ['gate', { act: 'addrule', name: 'Be kind', description: '', kind: 'all' }],
  ['gate', { act: 'updaterule', old: 'Be kind', name: 'be kind', description: '', kind: 'all' }],
  ['mod', { act: 'flairconfig', enabled: true, position: 'right', linkPosition: 'left', ofSelf: true, ofOwnLinks: true }],
  ['mod', template0],
  ['mod', { ...template0, template: 0 }],
  ['mod', { ...template0, editable: false, text: 'Brewer', css: 'brown' }],
  ['mod', { ...template0, kind: 'link', text: 'Question', css: 'blue' }],
  // choices of authors and wearers themselves are no acts of moderation
  ['alice', { act: 'selectflair', target: { link: 0 }, template: 2, text: '' }],
  ['bob', { act: 'selectflair', target: { name: 'bob' }, template: 0, text: 'My own' }],
  ...ordinary.map((name) => ['alice', { ...edit0, page: name }] as const),
  ['bob', { ...edit0, page: 'leaves', text: 'boil' }],
  ['mod', { act: 'wikihide', page: 'leaves', revision: 1 }],
  ['mod', { act: 'wikihide', page: 'leaves', revision: 1 }],
  ['mod', { act: 'wikirevert', page: 'leaves', revision: 1 }],
  ['mod', { act: 'relate', type: 'wikibanned', whom: 'bob' }],
  ['bob', { ...edit0, page: 'leaves', text: 'pour' }],
  ['mod', { act: 'unrelate', type: 'wikibanned', whom: 'bob' }],
]

const ofMembers = ['submit', 'say', 'invite', 'permit', 'dismiss', 'accept', 'leavemoderator', 'leavecontributor', 'relate', 'unrelate']
/** The interface does not say where admins may post, and another oracle predicts what they do to relations. */
const isOfAdmins = ({ act }: SubsiteAct): boolean => !ofMembers.includes(act)

/** Generates so many random acts. Actors who may do much at first are chosen more often. */
export const histories = (length: number): fc.Arbitrary<readonly (readonly [Person, SubsiteAct])[]> =>
  fc.array(
    fc
      .tuple(
        fc.constantFrom(...people, ...people, 'ann', 'ann', 'ann', 'ann', 'mod', 'gate'),
        fc.oneof<{ readonly weight: number; readonly arbitrary: fc.Arbitrary<SubsiteAct> }[]>(
          { weight: 3, arbitrary: seats },
          { weight: 3, arbitrary: posts },
          { weight: 8, arbitrary: flair },
          { weight: 6, arbitrary: settings },
          { weight: 4, arbitrary: looks },
          { weight: 8, arbitrary: wiki },
        ),
      )
      .map(([who, act]) => [who === 'root' && !isOfAdmins(act) ? 'ann' : who, act] as const),
    { minLength: length, maxLength: length },
  )
