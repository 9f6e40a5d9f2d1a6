import test from 'ava'
import {
  changeSettings,
  claimSubsiteName,
  createSubsite,
  Subsite,
  SubsiteCreated,
  SubsiteName,
  SubsiteNameClaimed,
  SubsiteSettingChanged,
} from '../../src/domain/subsite.ts'
import { checkSettings, defaultSettings, type SubsiteSettings } from '../../src/domain/subsite-settings.ts'
import { specification } from '../support/specification.ts'

const creation = { subsite: 't4_1', name: 'Tea', creator: 't2_ann', settings: { ...defaultSettings, title: 'Tea' } }

{
  const { given } = specification(SubsiteName)
  test(
    'the claim of a subsite name contains the whole creation',
    given().when(claimSubsiteName(creation)).records(SubsiteNameClaimed(creation)),
  )
  test(
    'claiming a name again for the same creation changes nothing',
    given(SubsiteNameClaimed(creation)).when(claimSubsiteName(creation)).recordsNothing,
  )
  test(
    'a claimed subsite name cannot be claimed by another creation',
    given(SubsiteNameClaimed(creation))
      .when(claimSubsiteName({ ...creation, subsite: 't4_2' }))
      .refuses('SUBSITE_EXISTS', 'name'),
  )
}

const { given } = specification(Subsite)
const created = SubsiteCreated(creation)
test('creating a subsite records an event', given().when(createSubsite(creation)).records(created))
test('creating a subsite again changes nothing', given(created).when(createSubsite(creation)).recordsNothing)

const user = { admin: false, gold: false }
const admin = { admin: true, gold: false }
const edit = (changes: Partial<SubsiteSettings>, author = user) => changeSettings(author, changes)
const changed = <Setting extends keyof SubsiteSettings>(
  setting: Setting,
  before: SubsiteSettings[Setting],
  after: SubsiteSettings[Setting],
) => SubsiteSettingChanged({ subsite: 't4_1', setting, before, after })

test(
  'each changed setting is an event, in the order of the table',
  given(created)
    .when(edit({ over_18: true, title: 'Teas', lang: 'en' }))
    .records(changed('title', 'Tea', 'Teas'), changed('over_18', false, true)),
)
test(
  'a setting that its author no longer sees as it is cannot be changed, and others can',
  given(created, changed('title', 'Tea', 'Leaves'))
    .when(changeSettings(user, { title: 'Teas' }, { seen: { title: 'Tea' } }))
    .refuses('CONFLICT', 'title'),
)
test(
  'a setting that somebody else changed to the same is no conflict',
  given(created, changed('title', 'Tea', 'Teas'))
    .when(changeSettings(user, { title: 'Teas', over_18: true }, { seen: { title: 'Tea', over_18: false } }))
    .records(changed('over_18', false, true)),
)
test('the same settings again change nothing', given(created).when(edit({ title: 'Tea', type: 'public' })).recordsNothing)
test(
  'the settings of a subsite that does not exist cannot be changed',
  given()
    .when(edit({ title: 'Teas' }))
    .refuses('SUBSITE_NOEXIST', 'sr'),
)
test(
  'an account that is no admin cannot archive a subsite',
  given(created)
    .when(edit({ type: 'archived' }))
    .refuses('ADMIN_REQUIRED', 'type'),
)
test(
  'admins can archive a subsite',
  given(created)
    .when(edit({ type: 'archived' }, admin))
    .records(changed('type', 'public', 'archived')),
)
test(
  'an archived subsite keeps its type when moderators edit it',
  given(created, changed('type', 'public', 'archived'))
    .when(edit({ type: 'archived', title: 'Old tea' }))
    .records(changed('title', 'Tea', 'Old tea')),
)
test(
  'only admins can change the type employees_only to another',
  given(created, changed('type', 'public', 'employees_only'))
    .when(edit({ type: 'public' }))
    .refuses('ADMIN_REQUIRED', 'type'),
)
test(
  'the type of a subsite cannot be changed to gold_only',
  given(created)
    .when(edit({ type: 'gold_only' }))
    .refuses('CANT_CONVERT_TO_GOLD_ONLY', 'type'),
)
test(
  'ads can be hidden only in gold_only subsites',
  given(created)
    .when(edit({ hide_ads: true }))
    .refuses('GOLD_ONLY_SR_REQUIRED', 'hide_ads'),
)
test('creating a gold_only subsite needs gold', (t) => {
  t.deepEqual(checkSettings(user, { type: 'gold_only' }, undefined), { code: 'GOLD_REQUIRED', field: 'type' })
  t.is(checkSettings({ admin: false, gold: true }, { type: 'gold_only', hide_ads: true }, undefined), undefined)
})
