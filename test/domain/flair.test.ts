import test from 'ava'
import { LinkFlair, LinkFlairChanged, noFlair, setLinkFlair, setUserFlair, UserFlair, UserFlairChanged } from '../../src/domain/flair.ts'
import {
  clearTemplates,
  deleteTemplate,
  FlairTemplateAdded,
  FlairTemplateChanged,
  FlairTemplateDeleted,
  FlairTemplatesCleared,
  putTemplate,
  SubsiteFlair,
} from '../../src/domain/subsite-flair.ts'
import { specification } from '../support/specification.ts'

const subsite = 't4_1'
const between = { subsite, account: 't2_bob' }
const brewer = { text: 'Brewer', css: 'brown' }
const first = UserFlairChanged({ ...between, ...brewer, shown: true, csv: false, before: { account: 't2_bob', ...noFlair } })

const ofUser = specification(UserFlair)
test('the first flair of an account records that there was none', ofUser.given().when(setUserFlair(between, brewer)).records(first))
test(
  'the flair that an account had is recorded when it is replaced',
  ofUser
    .given(first)
    .when(setUserFlair(between, noFlair))
    .records(
      UserFlairChanged({ ...between, ...noFlair, shown: true, csv: false, cleared: true, before: { account: 't2_bob', ...brewer } }),
    ),
)
test('setting the same flair changes nothing', ofUser.given(first).when(setUserFlair(between, brewer)).recordsNothing)

const ofLink = specification(LinkFlair)
const target = { id: 't5_1', author: 't2_ann' }
const onLink = { subsite, target, author: 't2_ann' }
const none = { account: 't2_ann', ...noFlair, template: null }
test(
  'the first flair of a link records that there was none',
  ofLink
    .given()
    .when(setLinkFlair({ subsite, erased: false }, target, brewer))
    .records(LinkFlairChanged({ ...onLink, ...brewer, before: none })),
)
test(
  'the flair that a link had is recorded when it is replaced',
  ofLink
    .given(LinkFlairChanged({ ...onLink, ...brewer }))
    .when(setLinkFlair({ subsite, erased: false }, target, noFlair))
    .records(LinkFlairChanged({ ...onLink, ...noFlair, before: { account: 't2_ann', ...brewer, template: null } })),
)

test(
  'the template of a flair is recorded, also if nothing else changes',
  ofLink
    .given(LinkFlairChanged({ ...onLink, ...brewer }))
    .when(setLinkFlair({ subsite, erased: false }, target, { ...brewer, template: 'a' }))
    .records(LinkFlairChanged({ ...onLink, ...brewer, template: 'a', before: { account: 't2_ann', ...brewer, template: null } })),
)
test(
  'the template of the former flair is recorded',
  ofLink
    .given(LinkFlairChanged({ ...onLink, ...brewer, template: 'a' }))
    .when(setLinkFlair({ subsite, erased: false }, target, brewer))
    .records(LinkFlairChanged({ ...onLink, ...brewer, before: { account: 't2_ann', ...brewer, template: 'a' } })),
)
test(
  'a flair of the same template changes nothing',
  ofLink
    .given(LinkFlairChanged({ ...onLink, ...brewer, template: 'a' }))
    .when(setLinkFlair({ subsite, erased: false }, target, { ...brewer, template: 'a' })).recordsNothing,
)

const ofSubsite = specification(SubsiteFlair)
const content = { ...brewer, editable: false }
const template = (id: string, kind: 'user' | 'link' = 'user') => FlairTemplateAdded({ subsite, kind, template: id, ...content })
test(
  'what a flair template was is recorded when it is changed, also of one of the other kind',
  ofSubsite
    .given(template('a'), template('b', 'link'))
    .when(putTemplate(subsite, 'user', { id: 'b', ...content, text: 'Potter' }, 'new'))
    .records(FlairTemplateChanged({ subsite, kind: 'link', template: 'b', ...content, text: 'Potter', before: content })),
)
test(
  'what a flair template was is recorded when it is deleted',
  ofSubsite
    .given(template('a'))
    .when(deleteTemplate(subsite, 'a'))
    .records(FlairTemplateDeleted({ subsite, kind: 'user', template: 'a', before: content })),
)
test(
  'an unknown flair template cannot be deleted',
  ofSubsite.given(template('a')).when(deleteTemplate(subsite, 'b')).refuses('NOT_FOUND', 'flair_template_id'),
)
test(
  'clearing flair templates records which there were of that kind',
  ofSubsite
    .given(template('a'), template('b', 'link'), template('c'))
    .when(clearTemplates(subsite, 'user'))
    .records(FlairTemplatesCleared({ subsite, kind: 'user', templates: ['a', 'c'] })),
)
