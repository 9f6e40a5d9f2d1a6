import { ImageDeleted, ImageUploaded } from '../../../src/domain/images.ts'
import { RuleCreated, RuleDeleted, RuleEdited, RulesReordered } from '../../../src/domain/rules.ts'
import { StylesheetSaved } from '../../../src/domain/stylesheet.ts'
import { SubsiteSettingChanged } from '../../../src/domain/subsite.ts'
import { blobHash } from '../../../src/ports/blobs.ts'
import { carol, tea } from '../example-history.ts'
import type { LoggedEvent } from '../logged-events.ts'
import { mod } from './terms.ts'

const bytesOf = (name: string): Buffer => Buffer.from(`the bytes of ${name}`)
export const hashOf = (name: string): string => blobHash(bytesOf(name))
const picture = (name: string) => ({ hash: hashOf(name), format: 'png', width: 256, height: 256, bytes: bytesOf(name).length }) as const

/** The images and stylesheets that subsites show in the end. */
export const shownBlobs: readonly Buffer[] = ['f', 'css'].map(bytesOf)

export const onSettings: readonly LoggedEvent[] = [
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'title', before: 'All about tea', after: 'Tea' })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'public_description', before: '', after: 'leaves '.repeat(30) })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'description', before: '', after: 'water' })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'submit_text', before: '', after: 'Go on.' })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'allow_top', before: true, after: false })),
  mod(SubsiteSettingChanged({ subsite: tea, setting: 'type', before: 'public', after: 'restricted' })),
  mod(ImageUploaded({ subsite: tea, use: 'img', name: 'pot', ...picture('a') })),
  mod(ImageUploaded({ subsite: tea, use: 'img', name: 'lid', ...picture('b') })),
  mod(ImageUploaded({ subsite: tea, use: 'img', name: 'pot', ...picture('c'), before: hashOf('a') })),
  mod(ImageUploaded({ subsite: tea, use: 'header', name: '', ...picture('d'), before: null })),
  mod(ImageUploaded({ subsite: tea, use: 'icon', name: '', ...picture('e') })),
  mod(ImageUploaded({ subsite: tea, use: 'banner', name: '', ...picture('f') })),
  mod(
    StylesheetSaved({
      ...{ subsite: tea, author: carol, source: 'a { }', reason: '', css: hashOf('css'), images: [`${hashOf('a')}.png`] },
      ...{ previous: null, before: null },
    }),
  ),
  mod(ImageDeleted({ subsite: tea, use: 'img', name: 'lid', hash: hashOf('b') })),
  mod(ImageDeleted({ subsite: tea, use: 'header', name: '', hash: hashOf('d') })),
  mod(RuleCreated({ subsite: tea, name: 'Be kind', description: 'kind '.repeat(40), kind: 'all' })),
  mod(RuleCreated({ subsite: tea, name: 'On water', description: '', kind: 'link' })),
  mod(RuleCreated({ subsite: tea, name: 'On milk', description: '', kind: 'comment' })),
  mod(
    RuleEdited({
      subsite: tea,
      before: 'On water',
      name: 'Soft water',
      description: 'Please.',
      kind: 'comment',
      previousDescription: '',
      previousKind: 'link',
    }),
  ),
  mod(RulesReordered({ subsite: tea, before: ['Be kind', 'Soft water', 'On milk'], after: ['On milk', 'Be kind', 'Soft water'] })),
  mod(RuleDeleted({ subsite: tea, name: 'Be kind', before: { description: 'kind '.repeat(40), kind: 'all' } })),
]
