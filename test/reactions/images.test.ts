import test, { type ExecutionContext } from 'ava'
import { diskBlobs } from '../../src/adapters/disk/blobs.ts'
import { eraseImage, Images, uploadImage } from '../../src/domain/images.ts'
import { blobHash } from '../../src/ports/blobs.ts'
import { subsitesShowing } from '../../src/queries/appearances.ts'
import { deleteUnlessShown } from '../../src/reactions/images.ts'
import { carryOut } from '../../src/reactions/process.ts'
import { readModels, writeSide } from '../support/commanding.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const bytes = Buffer.from('the bytes of an image')
const hash = blobHash(bytes)
const image = { hash, format: 'png', width: 8, height: 8 } as const
const reason = 'ordered by a court'

/** Subsites that upload one image, and an admin who erases it. */
const gallery = async (t: ExecutionContext) => {
  const side = await writeSide(t, readModels)
  const blobs = diskBlobs(temporaryDirectory(t))
  const shown = async (at: string) => {
    if (!(await side.waitUntilProjected(at, 60_000))) throw new Error('the read models do not come')
  }
  const follow = carryOut({
    ...side,
    open: side.log.open,
    hadParticipated: async () => false,
    deleteBlob: deleteUnlessShown(blobs),
    subsitesShowing: async (erased, at) => {
      await shown(at)
      return subsitesShowing(side.documents, erased)
    },
  })
  return {
    blobs,
    upload: async (subsite: string) => {
      await blobs.put(bytes)
      await side.run(
        Images,
        subsite,
        uploadImage(subsite, { admin: false }, { use: 'img', name: 'pot', image, bytes: bytes.length }),
        side.by('t2_ann', 'moderator'),
      )
    },
    erase: (subsite: string) => side.run(Images, subsite, eraseImage(subsite, hash, false, reason), side.by('t2_root', 'admin')),
    /** As a process does that starts anew, or late. */
    react: async () => {
      await shown(await side.events.head())
      await follow(await side.events.readAll('0'.repeat(20), 1_000))
      await shown(await side.events.head())
    },
    named: async (subsite: string) => (await side.load(Images, subsite))?.named.length ?? 0,
  }
}

test('an erased image is erased in the subsites that had it, however late', async (t) => {
  const { blobs, upload, erase, react, named } = await gallery(t)
  await upload('t4_1')
  await upload('t4_2')
  await erase('t4_1')
  await react()
  t.is(await named('t4_2'), 0)
  t.is(await blobs.get(hash), undefined)
})

test('an image that a subsite uploads after it was erased elsewhere stays there, also when all reactions are repeated', async (t) => {
  const { blobs, upload, erase, react, named } = await gallery(t)
  await upload('t4_1')
  await erase('t4_1')
  await upload('t4_2')
  await react()
  t.is(await named('t4_2'), 1)
  t.deepEqual(await blobs.get(hash), bytes)
  await react()
  t.is(await named('t4_2'), 1)
  await erase('t4_2')
  await react()
  t.is(await blobs.get(hash), undefined)
})
