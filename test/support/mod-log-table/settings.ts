import { ImageDeleted, ImageErased, ImageUploaded } from '../../../src/domain/images.ts'
import { RuleCreated, RuleDeleted, RuleEdited, RulesReordered } from '../../../src/domain/rules.ts'
import { StylesheetSaved } from '../../../src/domain/stylesheet.ts'
import { SubsiteSettingChanged } from '../../../src/domain/subsite.ts'
import { carol } from '../example-history.ts'
import { mod, type Row, subsite } from './terms.ts'

const picture = { hash: 'a'.repeat(64), format: 'png', width: 1, height: 1, bytes: 9 } as const
const rule = { name: 'Be kind', description: 'To everybody.', kind: 'all' } as const

const settingRow = (name: 'title' | 'type' | 'description' | 'public_description' | 'submit_text') =>
  mod(SubsiteSettingChanged({ subsite, setting: name, before: '', after: 'x' }))

export const ofSettings: readonly Row[] = [
  ['change the title', settingRow('title'), { action: 'editsettings', target: null, details: 'title' }],
  ['change the type', settingRow('type'), { action: 'editsettings', target: null, details: 'type' }],
  ['change the sidebar', settingRow('description'), { action: 'wikirevise', target: null, details: 'Updated subsite sidebar' }],
  [
    'change the description',
    settingRow('public_description'),
    { action: 'wikirevise', target: null, details: 'Updated subsite description' },
  ],
  ['change the submission text', settingRow('submit_text'), { action: 'wikirevise', target: null, details: 'Updated submission text' }],
  [
    'upload an image',
    mod(ImageUploaded({ subsite, use: 'img', name: 'pot', ...picture })),
    { action: 'editsettings', target: null, details: 'upload_image', description: 'pot' },
  ],
  ...(['header', 'icon', 'banner'] as const).flatMap((use): readonly Row[] => [
    [
      `upload a ${use}`,
      mod(ImageUploaded({ subsite, use, name: '', ...picture })),
      { action: 'editsettings', target: null, details: `upload_image_${use}` },
    ],
    [
      `delete a ${use}`,
      mod(ImageDeleted({ subsite, use, name: '', hash: picture.hash })),
      { action: 'editsettings', target: null, details: `del_${use}` },
    ],
  ]),
  [
    'delete an image',
    mod(ImageDeleted({ subsite, use: 'img', name: 'pot', hash: picture.hash })),
    { action: 'editsettings', target: null, details: 'del_image', description: 'pot' },
  ],
  [
    'erase an image',
    mod(ImageErased({ subsite, hash: picture.hash, images: [{ use: 'img', name: 'pot' }], reason: 'ordered' })),
    { action: 'editsettings', target: null, details: 'erase_image', description: 'ordered' },
  ],
  [
    'save a stylesheet',
    mod(StylesheetSaved({ subsite, author: carol, source: '', reason: 'plain', css: null, images: [] })),
    { action: 'wikirevise', target: null, details: 'Updated subsite stylesheet', description: 'plain' },
  ],
  ['create a rule', mod(RuleCreated({ subsite, ...rule })), { action: 'createrule', target: null, details: 'Be kind' }],
  ['rename a rule', mod(RuleEdited({ subsite, before: 'Be', ...rule })), { action: 'editrule', target: null, details: 'Be kind' }],
  [
    'put rules in another order',
    mod(RulesReordered({ subsite, before: ['Be', 'See'], after: ['See', 'Be'] })),
    { action: 'editrule', target: null, details: 'reordered', description: 'See, Be' },
  ],
  ['delete a rule', mod(RuleDeleted({ subsite, name: 'Be kind' })), { action: 'deleterule', target: null, details: 'Be kind' }],
]
