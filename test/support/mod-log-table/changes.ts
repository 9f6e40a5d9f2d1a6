import type { ModLogDocument } from '../../../projections/mod-log.ts'
import { LinkFlairChanged, UserFlairChanged } from '../../../src/domain/flair.ts'
import { ModeratorAdded, ModeratorInvitationWithdrawn, ModeratorRemoved } from '../../../src/domain/moderators.ts'
import { BanChanged, BanNoteChanged, MuteExpired, UserUnbanned } from '../../../src/domain/relation.ts'
import { RuleDeleted, RuleEdited } from '../../../src/domain/rules.ts'
import { SubsiteSettingChanged } from '../../../src/domain/subsite.ts'
import { FlairTemplateChanged, FlairTemplateDeleted, FlairTemplatesCleared } from '../../../src/domain/subsite-flair.ts'
import { ann, bob, carol, dave } from '../example-history.ts'
import { DAWN, inNameOf, type LoggedEvent } from '../logged-events.ts'
import { aboutBob, mod, subsite, target } from './terms.ts'

type Changes = ModLogDocument['changes']
type Value = Changes[number]['before']

const change = (field: string, before: Value, after: Value) => ({ field, before, after })
const sealedChange = (field: string, [before, from]: readonly [Value, string | null], [after, to]: readonly [Value, string | null]) => ({
  ...change(field, before, after),
  authors: { before: from, after: to },
})
const note = (after: Value) => sealedChange('note', [null, null], [after, carol])
const flair = (owner: string, after: Value) => sealedChange('text', [null, owner], [after, owner])
const dawn = Math.floor(DAWN / 1000)
const template = [change('text', null, 'Brewer'), change('css_class', null, ''), change('text_editable', null, false)]

/** The changes of the other tables' acts; acts that are missing here change nothing. */
export const changesOf: Readonly<Record<string, Changes>> = {
  ...Object.fromEntries(
    ['title', 'type', 'description', 'public_description', 'submit_text'].map((setting, n) => [
      `change the ${['title', 'type', 'sidebar', 'description', 'submission text'][n]}`,
      [change(setting, '', 'x')],
    ]),
  ),
  'create a rule': [change('short_name', null, 'Be kind'), change('description', null, 'To everybody.'), change('kind', null, 'all')],
  // an earlier version recorded no more of the rule than its name
  'rename a rule': [change('short_name', 'Be', 'Be kind'), change('description', null, 'To everybody.'), change('kind', null, 'all')],
  'change the sidebar as a page': [change('description', '', 'new')],
  'put rules in another order': [change('order', ['Be', 'See'], ['See', 'Be'])],
  'delete a rule': [change('short_name', 'Be kind', null)],
  'add a moderator': [change('permissions', null, '+all')],
  'invite a moderator': [change('permissions', null, '+all')],
  'accept an invitation': [change('permissions', null, '+all')],
  'change permissions': [change('permissions', '+all', '+posts')],
  'change an invitation’s permissions to none': [change('permissions', '+all', '')],
  'ban for good': [change('until', null, 'permanent'), note('spam: ads')],
  'ban for days': [change('until', null, dawn)],
  'change a ban to other days': [change('until', 'permanent', dawn), note('spam: ads')],
  // it was permanent before
  'change a ban to one for good': [note('spam: ads')],
  'change the note of a ban': [note('other')],
  'ban from the wiki': [change('until', null, 'permanent'), note('spam')],
  'ban from the wiki for days': [change('until', null, dawn)],
  'change a wiki ban': [change('until', dawn, 'permanent')],
  'change the note of a wiki ban': [note('other')],
  mute: [change('until', null, dawn), note('rude')],
  'set the flair of a user': [flair(bob, 'Brewer'), change('css_class', null, '')],
  'set the flair of many': [flair(bob, ''), change('css_class', null, 'brown')],
  'clear the flair of many': [flair(bob, ''), change('css_class', null, '')],
  'clear the flair of a user': [flair(bob, ''), change('css_class', null, '')],
  'clear the flair of a user whose texts are erased since': [flair(bob, '[erased]'), change('css_class', null, '')],
  'flair a link': [flair(ann, 'Q'), change('css_class', null, '')],
  'clear the flair of a link': [flair(ann, ''), change('css_class', null, '')],
  'configure flair': [change('flair_self_enabled', false, true)],
  'add a template': template,
  'change a template': template,
  'suggest an order': [change('suggested_sort', '', 'qa')],
  'delist a page': [change('listed', true, false)],
  'relist a page': [change('listed', false, true)],
  'change the level of a page': [change('permlevel', 0, 2)],
}

const SIDEBAR = 'é'.repeat(1_025)
const former = { until: DAWN, by: dave, note: 'rude', noteBy: dave }

/** Acts that record the former state, which earlier versions did not, and what they changed. */
export const formerStates: readonly (readonly [string, LoggedEvent, Changes])[] = [
  [
    'change a ban, whose note another moderator wrote',
    mod(BanChanged({ ...aboutBob, until: null, days: null, note: 'very rude', previousUntil: DAWN, before: former })),
    [change('until', dawn, 'permanent'), sealedChange('note', ['rude', dave], ['very rude', carol])],
  ],
  [
    'leave a note as it is, which could not be told apart from another one after an erasure',
    mod(BanChanged({ ...aboutBob, until: null, days: null, note: 'rude', previousUntil: DAWN, before: former })),
    [change('until', dawn, 'permanent'), sealedChange('note', ['rude', dave], ['rude', carol])],
  ],
  ['take a note away', mod(BanNoteChanged({ ...aboutBob, before: former })), [sealedChange('note', ['rude', dave], [null, carol])]],
  [
    'unban',
    mod(UserUnbanned({ ...aboutBob, before: former })),
    [change('until', dawn, null), sealedChange('note', ['rude', dave], [null, carol])],
  ],
  [
    'let a mute without a note expire',
    inNameOf(null)(MuteExpired({ ...aboutBob, before: { until: DAWN, by: dave } })),
    [change('until', dawn, null)],
  ],
  [
    'give another flair',
    mod(UserFlairChanged({ ...aboutBob, text: 'Tea', css: 'a', shown: true, csv: false, before: { account: bob, text: '', css: 'a' } })),
    [sealedChange('text', ['', bob], ['Tea', bob])],
  ],
  [
    'give a link another flair',
    mod(LinkFlairChanged({ subsite, target, author: ann, text: '', css: 'b', before: { account: ann, text: 'Q', css: 'a' } })),
    [sealedChange('text', ['Q', ann], ['', ann]), change('css_class', 'a', 'b')],
  ],
  [
    'give a link the same flair from a template',
    mod(
      LinkFlairChanged({
        ...{ subsite, target, author: ann, text: 'Q', css: 'a', template: 'one' },
        before: { account: ann, text: 'Q', css: 'a', template: null },
      }),
    ),
    [sealedChange('text', ['Q', ann], ['Q', ann]), change('flair_template_id', null, 'one')],
  ],
  [
    'take the template of a link’s flair away',
    mod(
      LinkFlairChanged({
        ...{ subsite, target, author: ann, text: 'Q', css: 'a' },
        before: { account: ann, text: 'Q', css: 'a', template: 'one' },
      }),
    ),
    [sealedChange('text', ['Q', ann], ['Q', ann]), change('flair_template_id', 'one', null)],
  ],
  [
    'change a template',
    mod(
      FlairTemplateChanged({
        ...{ subsite, kind: 'user', template: 'a', text: 'Tea', css: 'a', editable: true },
        before: { text: 'Tea', css: '', editable: false },
      }),
    ),
    [change('css_class', '', 'a'), change('text_editable', false, true)],
  ],
  [
    'delete a template',
    mod(FlairTemplateDeleted({ subsite, kind: 'user', template: 'a', before: { text: 'Tea', css: '', editable: false } })),
    [change('text', 'Tea', null), change('css_class', '', null), change('text_editable', false, null)],
  ],
  ['clear the templates', mod(FlairTemplatesCleared({ subsite, kind: 'user', templates: ['a', 'b'] })), [change('templates', 2, 0)]],
  [
    'edit a rule',
    mod(
      RuleEdited({
        ...{ subsite, before: 'Be kind', name: 'Be kind', description: 'Please.', kind: 'all' },
        ...{ previousDescription: '', previousKind: 'all' },
      }),
    ),
    [change('description', '', 'Please.')],
  ],
  [
    'delete a rule',
    mod(RuleDeleted({ subsite, name: 'Be kind', before: { description: 'Please.', kind: 'link' } })),
    [change('short_name', 'Be kind', null), change('description', 'Please.', null), change('kind', 'link', null)],
  ],
  [
    'add a moderator who was invited',
    mod(ModeratorAdded({ ...aboutBob, permissions: '+all', founder: false, invitation: '+posts' })),
    [change('permissions', '+posts', '+all')],
  ],
  [
    'withdraw an invitation',
    mod(ModeratorInvitationWithdrawn({ ...aboutBob, permissions: '+posts' })),
    [change('permissions', '+posts', null)],
  ],
  ['remove a moderator', mod(ModeratorRemoved({ ...aboutBob, left: false, permissions: '+all' })), [change('permissions', '+all', null)]],
  [
    'change a long sidebar',
    mod(SubsiteSettingChanged({ subsite, setting: 'description', before: SIDEBAR, after: SIDEBAR.slice(1) })),
    [change('description', { bytes: 2_050, sha256: '7401d66e53876ff539ca56c712df32fc80df1299bf461199add1c50723cfe6cd' }, SIDEBAR.slice(1))],
  ],
]
