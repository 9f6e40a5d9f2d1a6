import { ERASED_PLACEHOLDER } from '../../../src/domain/event.ts'
import { LinkFlairChanged, UserFlairChanged } from '../../../src/domain/flair.ts'
import {
  FlairSettingChanged,
  FlairTemplateAdded,
  FlairTemplateChanged,
  FlairTemplateDeleted,
  FlairTemplatesCleared,
} from '../../../src/domain/subsite-flair.ts'
import { bob } from '../example-history.ts'
import { inNameOf } from '../logged-events.ts'
import { aboutBob, mod, type Row, subsite, target, thing, user } from './terms.ts'

const worn = { ...aboutBob, text: '', css: '', shown: true, csv: false }
const flaired = { subsite, target, author: target.author, text: '', css: '' }
const template = { subsite, kind: 'user' as const, template: 'a', text: 'Brewer', css: '', editable: false }

export const ofFlair: readonly Row[] = [
  ['set the flair of a user', mod(UserFlairChanged({ ...worn, text: 'Brewer' })), user('editflair', 'flair_edit')],
  ['set the flair of many', mod(UserFlairChanged({ ...worn, css: 'brown', csv: true })), user('editflair', 'flair_csv')],
  ['clear the flair of many', mod(UserFlairChanged({ ...worn, csv: true })), user('editflair', 'flair_delete')],
  ['clear the flair of a user', mod(UserFlairChanged(worn)), user('editflair', 'flair_delete')],
  [
    'clear the flair of a user whose texts are erased since',
    mod(UserFlairChanged({ ...worn, text: ERASED_PLACEHOLDER, cleared: true })),
    user('editflair', 'flair_delete'),
  ],
  ['choose an own flair', inNameOf(bob)(UserFlairChanged({ ...worn, text: 'Brewer' })), 'none'],
  ['flair a link', mod(LinkFlairChanged({ ...flaired, text: 'Q' })), { action: 'editflair', target: thing, details: 'flair_edit' }],
  ['clear the flair of a link', mod(LinkFlairChanged(flaired)), { action: 'editflair', target: thing, details: 'flair_edit' }],
  ['flair an own link', inNameOf(bob)(LinkFlairChanged(flaired)), 'none'],
  [
    'configure flair',
    mod(FlairSettingChanged({ subsite, setting: 'flair_self_enabled', before: false, after: true })),
    { action: 'editflair', target: null, details: 'flair_self_enabled' },
  ],
  ['add a template', mod(FlairTemplateAdded(template)), { action: 'editflair', target: null, details: 'flair_template' }],
  ['change a template', mod(FlairTemplateChanged(template)), { action: 'editflair', target: null, details: 'flair_template' }],
  [
    'delete a template',
    mod(FlairTemplateDeleted({ subsite, kind: 'user', template: 'a' })),
    { action: 'editflair', target: null, details: 'flair_delete_template' },
  ],
  [
    'clear the templates',
    mod(FlairTemplatesCleared({ subsite, kind: 'user' })),
    { action: 'editflair', target: null, details: 'flair_clear_template' },
  ],
]
