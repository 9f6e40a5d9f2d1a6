import test from 'ava'
import { deleteImage, ImageDeleted, Images, ImageUploaded, uploadImage } from '../../src/domain/images.ts'
import { specification } from '../support/specification.ts'

const subsite = 't4_1'
const user = { admin: false }
const image = (digit: string) => ({ hash: digit.repeat(64), format: 'png', width: 256, height: 256 }) as const
const upload = (use: 'img' | 'icon', name: string, digit: string) =>
  uploadImage(subsite, user, { use, name, image: image(digit), bytes: 9 })
const uploaded = (use: 'img' | 'icon', name: string, digit: string, before: string | null) =>
  ImageUploaded({ subsite, use, name, ...image(digit), bytes: 9, before: before?.repeat(64) ?? null })

const { given } = specification(Images)
test(
  'a new image records that it replaces none',
  given()
    .when(upload('img', 'pot', 'a'))
    .records(uploaded('img', 'pot', 'a', null)),
)
test(
  'an image records which one of its name it replaces',
  given(uploaded('img', 'lid', 'b', null), uploaded('img', 'pot', 'a', null))
    .when(upload('img', 'pot', 'c'))
    .records(uploaded('img', 'pot', 'c', 'a')),
)
test(
  'an icon records which one it replaces',
  given(uploaded('img', 'pot', 'a', null), uploaded('icon', '', 'b', null))
    .when(upload('icon', '', 'c'))
    .records(uploaded('icon', '', 'c', 'b')),
)
test(
  'an image after one that was deleted replaces none',
  given(uploaded('icon', '', 'b', null), ImageDeleted({ subsite, use: 'icon', name: '', hash: 'b'.repeat(64) }))
    .when(upload('icon', '', 'c'))
    .records(uploaded('icon', '', 'c', null)),
)
test(
  'the deletion of an image names its content',
  given(uploaded('img', 'pot', 'a', null))
    .when(deleteImage(subsite, 'img', 'pot'))
    .records(ImageDeleted({ subsite, use: 'img', name: 'pot', hash: 'a'.repeat(64) })),
)
