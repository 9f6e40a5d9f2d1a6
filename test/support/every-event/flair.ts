import { LinkFlairChanged, UserFlairChanged, UserFlairSwitched } from '../../../src/domain/flair.ts'
import {
  FlairSettingChanged,
  FlairTemplateAdded,
  FlairTemplateChanged,
  FlairTemplateDeleted,
  FlairTemplatesCleared,
} from '../../../src/domain/subsite-flair.ts'
import { ann, bob, carol, dave, tea } from '../example-history.ts'
import { inNameOf, type LoggedEvent } from '../logged-events.ts'
import { cup, leaf, mod, pair, target } from './terms.ts'

const template = (id: string, more: object = {}) => ({
  subsite: tea,
  kind: 'user' as const,
  template: id,
  text: 'Brewer',
  css: 'brown',
  editable: false,
  ...more,
})
export const onFlair: readonly LoggedEvent[] = [
  mod(
    UserFlairChanged({ ...pair(bob), text: 'Brewer', css: 'brown', shown: true, csv: false, before: { account: bob, text: '', css: '' } }),
  ),
  inNameOf(bob)(UserFlairSwitched({ ...pair(bob), text: 'Brewer', css: 'brown', shown: false })),
  mod(UserFlairChanged({ ...pair(dave), text: 'b'.repeat(64), css: 'c'.repeat(100), shown: true, csv: true })),
  mod(
    UserFlairChanged({
      ...pair(dave),
      text: '',
      css: '',
      shown: true,
      csv: true,
      before: { account: dave, text: 'b'.repeat(64), css: 'c'.repeat(100) },
    }),
  ),
  inNameOf(ann)(UserFlairChanged({ ...pair(ann), text: '', css: 'brown', shown: true, csv: false })),
  mod(
    UserFlairChanged({
      ...pair(ann),
      text: '',
      css: '',
      shown: true,
      csv: false,
      cleared: true,
      before: { account: ann, text: '', css: 'brown' },
    }),
  ),
  mod(
    LinkFlairChanged({
      subsite: tea,
      target: target(leaf, carol),
      author: carol,
      text: 'Leaves',
      css: '',
      before: { account: carol, text: '', css: '' },
    }),
  ),
  mod(
    LinkFlairChanged({
      subsite: tea,
      target: target(leaf, carol),
      author: carol,
      text: 'Question',
      css: 'blue',
      before: { account: carol, text: 'Leaves', css: '' },
    }),
  ),
  inNameOf(carol)(LinkFlairChanged({ subsite: tea, target: target(cup, carol), author: carol, text: 'q'.repeat(64), css: '' })),
  mod(FlairSettingChanged({ subsite: tea, setting: 'link_flair_position', before: '', after: 'left' })),
  mod(FlairSettingChanged({ subsite: tea, setting: 'flair_self_enabled', before: false, after: true })),
  mod(FlairTemplateAdded(template('a'))),
  mod(FlairTemplateAdded(template('b', { text: 'b'.repeat(64) }))),
  mod(FlairTemplateAdded(template('c'))),
  mod(
    FlairTemplateChanged({
      ...template('b', { css: '', editable: true }),
      before: { text: 'b'.repeat(64), css: 'brown', editable: false },
    }),
  ),
  mod(FlairTemplateDeleted({ subsite: tea, kind: 'user', template: 'a', before: { text: 'Brewer', css: 'brown', editable: false } })),
  mod(FlairTemplateAdded(template('d', { kind: 'link' }))),
  mod(FlairTemplatesCleared({ subsite: tea, kind: 'link', templates: ['d'] })),
]

/** A moderator chooses flair for a link from a template. */
export const onChosenFlair: readonly LoggedEvent[] = [
  mod(
    LinkFlairChanged({
      subsite: tea,
      target: target(leaf, carol),
      author: carol,
      text: 'Question',
      css: 'brown',
      template: 'template-a',
      before: { account: carol, text: 'Question', css: 'blue' },
    }),
  ),
  mod(
    LinkFlairChanged({
      subsite: tea,
      target: target(leaf, carol),
      author: carol,
      text: 'Question',
      css: 'brown',
      before: { account: carol, text: 'Question', css: 'brown', template: 'template-a' },
    }),
  ),
]
