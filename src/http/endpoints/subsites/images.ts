import * as E from 'fp-ts/lib/Either.js'
import { appearances } from '../../../../projections/appearances.ts'
import {
  deleteImage,
  hasImage,
  Images,
  type ImageUse,
  imageUses,
  isImageName,
  MAX_IMAGE_BYTES,
  uploadImage,
} from '../../../domain/images.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import { blobHash } from '../../../ports/blobs.ts'
import { getOne } from '../../../ports/documents.ts'
import type { CommandResult } from '../../../runtime/run.ts'
import { type AnyEndpoint, type Context, section, type Uses } from '../../contract/endpoint.ts'
import { isOverload, overloadCode } from '../../contract/overload.ts'
import { describeParam, documentRequired, oneOf, optional, rawText, replaceInvalid, withSchema } from '../../contract/params.ts'
import { type Refusal, refusals, refuseRule } from '../../contract/refusals.ts'
import { Media } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { type Act, moderatorHere, subsiteHere } from '../../needs/facts.ts'
import { imageAddress, imageFile } from '../../present/image.ts'
import { encodeImage } from './encode-image.ts'
import { fileCacheHeaders, subsiteOfFile } from './file-addresses.ts'

const { get, post } = section('Subsites', { scope: 'modconfig', login: 'moderator', errors: 'plain' })

const imageUse = oneOf(...imageUses)

type ImageParams = { readonly use: ImageUse; readonly name: string; readonly format: 'png' | 'jpg' }

type ImageUpload = CommandResult & { readonly address: string }

/** Re-encodes the file, stores it, then records it. Refused files are not stored. */
const upload = async (
  context: Context & Uses<'blobs'>,
  act: Act,
  subsite: string,
  sent: ImageParams,
): Promise<E.Either<Refusal, ImageUpload>> => {
  const { file, viewer, load, run, blobs, config } = context
  const encoded = file && file.length <= MAX_IMAGE_BYTES ? await encodeImage(file, sent.format) : undefined
  if (isOverload(encoded)) return refuseRule(overloadCode[encoded])
  if (encoded === undefined) return refuseRule('IMAGE_ERROR', 'file')
  const { bytes, format, width, height } = encoded
  const image = { hash: blobHash(bytes), format, width, height }
  const decide = uploadImage(act.subsite, { admin: viewer.admin }, { ...sent, image, bytes: bytes.length })
  const allowed = decide(await load(Images, act.subsite))
  if (E.isLeft(allowed)) return allowed
  await blobs.put(bytes)
  const recorded = await run(Images, act.subsite, decide)
  // the erasure of the same image elsewhere may have deleted the bytes meanwhile
  if (E.isRight(recorded) && hasImage(await load(Images, act.subsite), image.hash)) await blobs.put(bytes)
  return E.map((result: CommandResult) => ({ ...result, address: imageAddress(config.publicUrl, subsite, image) }))(recorded)
}

/** The errors that clients of this endpoint know; others have the usual form. */
const known: ReadonlySet<string> = new Set(['BAD_CSS_NAME', 'IMAGE_ERROR'])

const answerOf = (result: E.Either<Refusal, ImageUpload>) => {
  if (E.isLeft(result) && !known.has(result.left.code)) return result
  const refused = E.isLeft(result) ? [result.left.code] : []
  const body = {
    errors: refused,
    errors_values: refused.map((code) => refusals[code].text),
    img_src: E.isLeft(result) ? '' : result.right.address,
  }
  return { kind: 'json', body } as const
}

const uploadImg = post('[/s/{sub}]/api/upload_sr_img', {
  upload: { field: 'file', most: MAX_IMAGE_BYTES },
  answers: {
    200: shape.recordSchema({
      errors: shape.listOf(shape.choice('BAD_CSS_NAME', 'IMAGE_ERROR')),
      errors_values: shape.listOf(shape.text('this image cannot be used')),
      img_src: shape.text('https://rostra.example/s/tea/images/2d711642.png', 'Empty with an error.'),
    }),
  },
  summary: 'Upload an image of a subsite: a stylesheet image, its header, its icon or its banner.',
  notes:
    'For moderators with `config`; multipart, with the image as `file`: a complete PNG or JPEG of at most 500 KiB (else 413) and 8 Mi pixels, 8,192 in a row or column, which is re-encoded without metadata. A subsite has at most 50 stylesheet images; uploading under an existing name replaces that image, in the published stylesheet only when it is saved again. An icon is 256×256, a banner 10:3 from 640×192 to 1280×384. Errors have the status 200.',
  params: {
    upload_type: describeParam(replaceInvalid(optional(imageUse), undefined), 'what the image is for'),
    header: describeParam(
      withSchema(rawText(), { type: 'integer', minimum: 0, maximum: 1 }),
      'without `upload_type`: 1 is a header, anything else an image of the stylesheet',
    ),
    img_type: describeParam(replaceInvalid(oneOf('png', 'jpg'), 'png' as const), 'the format it is stored in'),
    name: describeParam(rawText(), 'of an image of the stylesheet: letters, digits and dashes'),
    formid: describeParam(rawText(), 'no effect'),
  },
  uses: ['blobs'],
  needs: { act: moderatorHere('config'), subsite: subsiteHere() },
  handle: async (context) => {
    const { act, subsite, params } = context
    const use = params.upload_type ?? (params.header.trim() === '1' ? 'header' : 'img')
    if (use === 'img' && !isImageName(params.name)) return answerOf(refuseRule('BAD_CSS_NAME', 'name'))
    const target = { use, name: params.name, format: params.img_type }
    return answerOf(await withinQuota(context, 'upload', () => upload(context, act, subsite.name, target)))
  },
})

const inWords = { header: 'the header', icon: 'the icon', banner: 'the banner' } as const

const deleteEndpoint = (use: keyof typeof inWords) =>
  post(`[/s/{sub}]/api/delete_sr_${use}`, {
    errors: 'form',
    summary: `Delete ${inWords[use]} of a subsite.`,
    notes: 'For moderators with `config`.',
    needs: { act: moderatorHere('config') },
    handle: ({ act, run }) => run(Images, act.subsite, deleteImage(act.subsite, use)),
  })

const deleteImg = post('[/s/{sub}]/api/delete_sr_img', {
  errors: 'form',
  summary: 'Delete a stylesheet image of a subsite.',
  notes: 'For moderators with `config`. The published stylesheet still shows it, but a stylesheet that refers to it cannot be saved.',
  params: { img_name: describeParam(documentRequired(rawText()), 'its name') },
  needs: { act: moderatorHere('config') },
  handle: ({ act, params, run }) =>
    isImageName(params.img_name)
      ? run(Images, act.subsite, deleteImage(act.subsite, 'img', params.img_name))
      : refuseRule('BAD_CSS_NAME', 'img_name'),
})

const types: Readonly<Record<string, string>> = { png: 'image/png', jpg: 'image/jpeg' }

const image = get('/s/{sub}/images/{file}', {
  scope: 'any',
  login: 'anyone',
  answers: { 200: new Media('image/png', 'image/jpeg') },
  summary: 'An image of a subsite.',
  notes: 'The addresses are in the record of the subsite and in its stylesheet. An image that the subsite no longer shows is 404.',
  params: { file: describeParam(rawText(), 'its SHA-256 with the ending of its format') },
  uses: ['blobs'],
  needs: { subsite: subsiteOfFile },
  handle: async ({ subsite, params: { file }, documents, blobs }) => {
    const look = await getOne(documents, appearances, subsite.id)
    const used = look ? [...look.named, look.header, look.icon, look.banner].flatMap((one) => (one ? [imageFile(one)] : [])) : []
    const [hash = '', format = ''] = file.split('.')
    const type = types[format]
    if (type === undefined || !(used.includes(file) || look?.shown.includes(file))) return refuseRule('NOT_FOUND')
    const body = await blobs.get(hash)
    return body ? { kind: 'text', type, body, headers: fileCacheHeaders(subsite.type) } : refuseRule('NOT_FOUND')
  },
})

export const imageEndpoints: readonly AnyEndpoint[] = [
  uploadImg,
  deleteImg,
  deleteEndpoint('header'),
  deleteEndpoint('icon'),
  deleteEndpoint('banner'),
  image,
]
