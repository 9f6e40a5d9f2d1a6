import { finished } from 'node:stream/promises'
import { type Db, GridFSBucket, type GridFSChunk, type GridFSFile, ObjectId } from 'mongodb'
import { type Blobs, blobHash, isBlobHash, MAX_BLOB_BYTES } from '../../ports/blobs.ts'
import { StoreFault } from '../../ports/faults.ts'
import { callStore } from './errors.ts'

/**
 * Keeps blobs in GridFS. Each file has an id of its own and the hash as its name: an interrupted upload leaves chunks without a file, and
 * two writers at once store the same bytes twice.
 */
export const mongoBlobs = (db: Db): Blobs => {
  const bucket = new GridFSBucket(db, { bucketName: 'blobs' })
  const files = db.collection<GridFSFile>('blobs.files')
  const chunks = db.collection<GridFSChunk>('blobs.chunks')
  const findFile = (hash: string) => callStore('read', () => bucket.find({ filename: hash }, { limit: 1 }).next())

  return {
    put: async (bytes) => {
      if (bytes.length > MAX_BLOB_BYTES)
        throw new StoreFault('too-large', `a blob has ${bytes.length} bytes; ${MAX_BLOB_BYTES} are allowed`)
      const hash = blobHash(bytes)
      // records the put on the file, so that a collection at this moment does not delete it
      const renewed = await callStore('write', () => files.updateMany({ filename: hash }, { $set: { uploadDate: new Date() } }))
      if (renewed.matchedCount > 0) return hash
      await callStore('write', async () => {
        const upload = bucket.openUploadStream(hash)
        upload.end(Buffer.from(bytes))
        await finished(upload)
      })
      return hash
    },
    get: async (hash) => {
      if (!isBlobHash(hash)) return undefined
      const file = await findFile(hash)
      if (file === null) return undefined
      const bytes = await callStore('read', async () => Buffer.concat(await bucket.openDownloadStream(file._id).toArray()))
      if (blobHash(bytes) !== hash) throw new StoreFault('damaged', `the blob ${hash} is damaged: its bytes do not match its hash`)
      return bytes
    },
    delete: async (hash) => {
      for (const { _id } of await callStore('read', () => files.find({ filename: hash }, { projection: { _id: 1 } }).toArray())) {
        await callStore('write', () => files.deleteOne({ _id }))
        await callStore('write', () => chunks.deleteMany({ files_id: _id }))
      }
    },
    collect: async (isKept, before) => {
      const old = { uploadDate: { $lt: new Date(before) } }
      let deleted = 0
      const found = await callStore('read', () => files.find(old, { projection: { filename: 1 } }).toArray())
      for (const { _id, filename } of found.filter((file) => !isKept(file.filename))) {
        const gone = await callStore('write', () => files.deleteOne({ _id, ...old }))
        if (gone.deletedCount === 0) continue
        await callStore('write', () => chunks.deleteMany({ files_id: _id }))
        if (isBlobHash(filename)) deleted += 1
      }
      const brokenOff = { n: 0, files_id: { $lt: ObjectId.createFromTime(Math.max(0, Math.floor(before / 1000))) } }
      for (const { files_id } of await callStore('read', () => chunks.find(brokenOff, { projection: { files_id: 1 } }).toArray()))
        if ((await callStore('read', () => files.findOne({ _id: files_id }))) === null)
          await callStore('write', () => chunks.deleteMany({ files_id }))
      return deleted
    },
  }
}
