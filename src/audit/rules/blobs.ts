import { amend, drop, entry, type LedgerRules, putRow, readRow } from './rule.ts'

// The images and stylesheets that subsites show, by the hashes of their bytes.

export const BLOBS_BOOK = 'audit_blobs'

/** The blobs that one place of a subsite shows: an image, or a stylesheet with its images. */
export type BlobUse = { readonly id: string; readonly hashes: readonly string[] }

const recordUse = (id: string, hashes: readonly string[]) => putRow(BLOBS_BOOK, { id, hashes } satisfies BlobUse)

type Image = { readonly subsite: string; readonly use: string; readonly name: string }
const imageId = ({ subsite, use, name }: Image): string => `${subsite} ${use}${name === '' ? '' : ` ${name}`}`

/** Returns the hash in the file name of a stylesheet's image, which ends in its format. */
const hashOf = (file: string): string => file.replace(/\..*$/, '')

export const blobRules: LedgerRules = {
  ImageUploaded: ({ data }) => [recordUse(imageId(data), [data.hash])],
  ImageDeleted: ({ data }) => [drop(BLOBS_BOOK, imageId(data))],
  ImageErased: ({ data: { subsite, hash, images } }) => [
    ...images.map((image) => drop(BLOBS_BOOK, imageId({ subsite, ...image }))),
    amend<BlobUse>(BLOBS_BOOK, `${subsite} stylesheet`, (row) => ({ ...row, hashes: row.hashes.filter((one) => one !== hash) })),
  ],
  // it does not show images that were erased since it was compiled
  StylesheetSaved: ({ data: { subsite, css, images } }) => {
    let erased: readonly string[] = []
    const id = `${subsite} stylesheet`
    return [
      readRow<{ readonly erased: readonly string[] }>('appearances', subsite, (row) => {
        erased = row?.erased ?? []
      }),
      entry<BlobUse>(BLOBS_BOOK, id, () => ({
        id,
        hashes: [...(css === null ? [] : [css]), ...images.map(hashOf).filter((hash) => !erased.includes(hash))],
      })),
    ]
  },
}
