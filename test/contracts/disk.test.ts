import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { diskBlobs } from '../../src/adapters/disk/blobs.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { blobsContract } from './blobs.ts'

blobsContract(test, 'blobs on disk', async (t) => {
  const directory = join(temporaryDirectory(t), 'blobs')
  return { blobs: diskBlobs(directory), reopen: async () => diskBlobs(directory) }
})

test('blobs on disk: a changed file is a fault, and an interrupted write leaves no partial file', async (t) => {
  const directory = join(temporaryDirectory(t), 'blobs')
  const blobs = diskBlobs(directory)
  const hash = await blobs.put(Buffer.from('tea'))
  const folder = join(directory, hash.slice(0, 2))
  t.deepEqual(await readdir(folder), [hash])
  await writeFile(join(folder, hash), 'coffee')
  const fault = await t.throwsAsync(blobs.get(hash), { instanceOf: StoreFault })
  t.is(fault?.kind, 'damaged')
})
