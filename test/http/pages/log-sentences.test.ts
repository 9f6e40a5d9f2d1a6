import { readFile } from 'node:fs/promises'
import test from 'ava'
import { modActionNames } from '../../../src/domain/mod-actions.ts'
import { type LogEntry, logActions, sentence } from '../../../src/http/pages/moderation/sentences.ts'
import { modActionShape } from '../../../src/http/things/log-entries.ts'

const words = (entry: LogEntry): string =>
  sentence(entry)
    .text.replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', '’')

const entryOf = (action: string, details: string | null, changed: Partial<LogEntry> = {}): LogEntry => ({
  k: 1,
  n: 2,
  id: 'ModAction_1',
  created_utc: 0,
  action: action as LogEntry['action'],
  mod: 'ann',
  mod_id36: '1',
  subsite: 'tea',
  sr_id36: '1',
  details,
  description: '',
  target_fullname: 't5_1',
  target_author: 'bob',
  target_permalink: '/s/tea/comments/1/the_leaf/',
  target_title: 'The leaf',
  target_body: null,
  changes: [],
  ...changed,
})

const comment = { target_fullname: 't1_2', target_title: null, target_body: 'Soft, and two minutes.' }

/** Entries of every action and every kind of details, with what they say. */
const said: readonly (readonly [action: string, details: string | null, changed: Partial<LogEntry>, sentence: string])[] = [
  ['removelink', 'spam', {}, 'ann removed the link ‘The leaf’ by bob as spam'],
  ['removelink', 'confirm_spam', {}, 'ann removed the link ‘The leaf’ by bob, confirming it as spam'],
  ['removelink', 'remove', {}, 'ann removed the link ‘The leaf’ by bob'],
  ['removelink', 'erase', { description: 'court order' }, 'ann erased the link ‘The leaf’ by bob for good, because of ‘court order’'],
  ['removelink', 'remove', { target_title: null, target_permalink: null }, 'ann removed a link whose title is gone by bob'],
  ['removelink', 'remove', { mod: '[service]' }, 'The service: removed the link ‘The leaf’ by bob'],
  ['removecomment', 'remove', comment, 'ann removed the comment ‘Soft, and two minutes.’ by bob'],
  ['removecomment', 'remove', { ...comment, target_body: null }, 'ann removed a comment by bob'],
  ['approvelink', 'unspam', {}, 'ann approved the link ‘The leaf’ by bob, taking it back out of the removed'],
  ['approvelink', 'confirm_ham', {}, 'ann approved the link ‘The leaf’ by bob'],
  ['approvecomment', 'confirm_ham', comment, 'ann approved the comment ‘Soft, and two minutes.’ by bob'],
  ['banuser', '7 days', { description: 'watches' }, 'ann banned bob for 7 days, noting ‘watches’'],
  ['banuser', '1 days', {}, 'ann banned bob for 1 day'],
  ['banuser', 'permanent', { description: null }, 'ann banned bob for good'],
  ['banuser', 'changed to 3 days', {}, 'ann changed the ban of bob: now for 3 days'],
  ['banuser', 'changed note', { description: 'x' }, 'ann changed the note on the ban of bob to ‘x’'],
  ['unbanuser', null, {}, 'ann lifted the ban of bob'],
  ['unbanuser', null, { mod: '[service]', description: 'was temporary' }, 'The service: the ban of bob ran out'],
  ['wikibanned', 'permanent', {}, 'ann banned bob from the wiki for good'],
  ['wikibanned', 'changed note', {}, 'ann changed the note on the ban from the wiki of bob'],
  ['wikiunbanned', null, {}, 'ann lifted the wiki ban of bob'],
  ['muteuser', null, {}, 'ann muted bob in messages to the moderators'],
  ['muteuser', 'changed note', { description: 'x' }, 'ann changed the note on the mute of bob to ‘x’'],
  ['unmuteuser', null, {}, 'ann unmuted bob'],
  ['unmuteuser', null, { mod: '[service]', description: 'was temporary' }, 'The service: the mute of bob ran out'],
  ['lock', null, {}, 'ann locked the link ‘The leaf’ by bob'],
  ['unlock', null, {}, 'ann unlocked the link ‘The leaf’ by bob'],
  ['sticky', null, {}, 'ann pinned the link ‘The leaf’ by bob'],
  ['unsticky', null, {}, 'ann unpinned the link ‘The leaf’ by bob'],
  ['unsticky', 'replaced', {}, 'ann unpinned the link ‘The leaf’ by bob, another took its place'],
  ['marknsfw', null, {}, 'ann marked the link ‘The leaf’ by bob as over 18'],
  ['marknsfw', 'remove', {}, 'ann took the mark ‘over 18’ from the link ‘The leaf’ by bob'],
  ['distinguish', null, comment, 'ann marked the comment ‘Soft, and two minutes.’ by bob as a moderator’s'],
  ['distinguish', 'remove', comment, 'ann took the moderator’s mark from the comment ‘Soft, and two minutes.’ by bob'],
  ['ignorereports', null, {}, 'ann ignored further reports of the link ‘The leaf’ by bob'],
  ['unignorereports', null, comment, 'ann heeds reports again of the comment ‘Soft, and two minutes.’ by bob'],
  ['setsuggestedsort', null, {}, 'ann suggested an order for the comments of the link ‘The leaf’ by bob'],
  ['setcontestmode', null, {}, 'ann turned contest mode on for the link ‘The leaf’ by bob'],
  ['unsetcontestmode', null, {}, 'ann turned contest mode off for the link ‘The leaf’ by bob'],
  ['addmoderator', null, {}, 'ann made bob a moderator'],
  ['invitemoderator', null, {}, 'ann invited bob to moderate'],
  ['uninvitemoderator', null, {}, 'ann withdrew the invitation of bob'],
  ['acceptmoderatorinvite', null, {}, 'ann accepted the invitation to moderate'],
  ['removemoderator', null, {}, 'ann removed bob from the moderators'],
  ['removemoderator', 'remove_self', {}, 'ann stepped down as a moderator'],
  ['setpermissions', 'permission_moderator', {}, 'ann changed what bob may do as a moderator'],
  ['setpermissions', 'permission_moderator_invite', {}, 'ann changed what the invitation of bob would allow'],
  ['addcontributor', null, {}, 'ann approved bob as a contributor'],
  ['removecontributor', null, {}, 'ann withdrew the approval of bob as a contributor'],
  ['wikicontributor', null, {}, 'ann approved bob as a contributor to the wiki'],
  ['removewikicontributor', null, {}, 'ann withdrew the approval of bob as a contributor to the wiki'],
  ['wikirevise', 'Page index edited', { description: 'first' }, 'ann edited the wiki page index, saying ‘first’'],
  ['wikirevise', 'revert', { description: 'Page index, oops' }, 'ann put the wiki page index back to an earlier revision'],
  ['wikirevise', 'hide', { description: 'Page index, revision 1' }, 'ann hid a revision of the wiki page index'],
  ['wikirevise', 'unhide', { description: 'Page index, revision 1' }, 'ann showed a hidden revision of the wiki page index again'],
  ['wikirevise', 'erase', { description: 'Page a/b, revision 1: x' }, 'ann erased a revision of the wiki page a/b for good'],
  ['wikirevise', 'Updated subsite stylesheet', { description: 'darker' }, 'ann edited the stylesheet, saying ‘darker’'],
  ['wikirevise', 'Updated subsite sidebar', {}, 'ann edited the sidebar'],
  ['wikirevise', null, { description: null }, 'ann edited a page of the wiki'],
  ['wikipermlevel', null, { description: 'Page index: level 0 to 1' }, 'ann changed who may edit the wiki page index'],
  ['wikipermlevel', 'alloweditor_add', { description: 'Page index' }, 'ann let bob edit the wiki page index'],
  ['wikipermlevel', 'alloweditor_del', { description: 'Page index' }, 'ann no longer lets bob edit the wiki page index'],
  ['wikipagelisted', null, { description: 'Delisted page index' }, 'ann unlisted the wiki page index'],
  ['wikipagelisted', null, { description: 'Relisted page index' }, 'ann listed the wiki page index'],
  ['editsettings', 'over_18', {}, 'ann changed the setting ‘over 18’'],
  ['editsettings', 'upload_image', { description: 'cup' }, 'ann uploaded the image ‘cup’'],
  ['editsettings', 'upload_image_icon', {}, 'ann uploaded the icon image'],
  ['editsettings', 'del_header', {}, 'ann deleted the header image'],
  ['editsettings', 'del_image', { description: 'cup' }, 'ann deleted the image ‘cup’'],
  ['editsettings', 'erase_image', { description: 'copyright' }, 'ann erased an image for good, because of ‘copyright’'],
  ['editflair', 'flair_edit', { target_fullname: 't2_1' }, 'ann set the flair of bob'],
  ['editflair', 'flair_edit', {}, 'ann set the flair of the link ‘The leaf’ by bob'],
  ['editflair', 'flair_csv', {}, 'ann set the flair of bob from a list'],
  ['editflair', 'flair_delete', {}, 'ann took the flair from bob'],
  ['editflair', 'flair_template', {}, 'ann edited a flair template'],
  ['editflair', 'flair_delete_template', {}, 'ann deleted a flair template'],
  ['editflair', 'flair_clear_template', {}, 'ann deleted all flair templates'],
  ['editflair', 'link_flair_position', {}, 'ann changed how flair works here: ‘link flair position’'],
  ['createrule', 'Plain titles', {}, 'ann made the rule ‘Plain titles’'],
  ['editrule', 'Plain titles', {}, 'ann edited the rule ‘Plain titles’'],
  ['editrule', 'reordered', {}, 'ann put the rules in another order'],
  ['deleterule', 'Plain titles', {}, 'ann deleted the rule ‘Plain titles’'],
]

for (const [action, details, changed, expected] of said)
  test(`an entry says: ${expected}`, (t) => {
    t.is(words(entryOf(action, details, changed)), expected)
  })

test('every action of the log has a sentence, and the interface names just these', async (t) => {
  t.deepEqual([...logActions].toSorted(), [...modActionNames].toSorted())
  t.deepEqual([...new Set(said.map(([action]) => action))].toSorted(), [...modActionNames].toSorted())
  t.truthy(modActionShape)
})

test('every kind of details that an act records has a sentence of its own', async (t) => {
  const source = await readFile(new URL('../../../projections/mod-log-entries.ts', import.meta.url), 'utf8')
  const recorded = [...source.matchAll(/details: (?:[^'\n]*\? )?'([a-z_ ]+)'/g)].map(([, details]) => details)
  t.true(recorded.length > 10)
  for (const details of recorded)
    t.true(
      said.some(([, known]) => known === details),
      details,
    )
})

test('names and titles are cut between characters, and never become markup', (t) => {
  const { text } = sentence(entryOf('lock', null, { target_title: `<b>${'😀'.repeat(100)}`, target_author: '<i>' }))
  t.true(text.includes('&lt;b&gt;😀') && text.includes('😀…’'))
  t.false(/<b>😀|<i>/.test(text))
})
