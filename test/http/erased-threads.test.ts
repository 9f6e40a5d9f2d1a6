import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { chunksOf } from '../../src/ports/within-limits.ts'
import { startTea } from '../support/cast.ts'
import { childrenOf, eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { readThing, say, submit } from '../support/posting.ts'
import { startSite, type User } from '../support/site.ts'

const directory = await mkdtemp(join(tmpdir(), 'rostra-'))
test.after.always(() => rm(directory, { recursive: true, force: true }))

/** Comments of an author below several things, a few at a time. */
const sayEach = async (author: User, parents: readonly string[]): Promise<readonly string[]> => {
  const made: string[] = []
  for (const some of chunksOf(parents, 30)) made.push(...(await Promise.all(some.map((parent) => say(author, parent)))))
  return made
}

type Child = ReturnType<typeof childrenOf>[number]

/** Counts the comments that a thread shows, and the further ones that it announces. */
const counted = (things: readonly Child[]): number =>
  things.reduce((sum, { kind, data }) => {
    const replies = (data.replies as { readonly data?: { readonly children: readonly Child[] } } | '' | undefined) || undefined
    return sum + (kind === 'more' ? Number(data.count) : 1 + counted(replies?.data?.children ?? []))
  }, 0)

test('after an erasure that changed many comments of a thread, and a restart, none is missing', async (t) => {
  const { site, ann, bob, root } = await startTea(['root'], { directory })
  const link = await submit(bob, 'tea')
  const first = await sayEach(
    bob,
    Array.from({ length: 470 }, () => link),
  )
  const hers = await sayEach(ann, first.slice(0, 50))
  await sayEach(bob, hers.slice(0, 20))
  await postForm(root, '/api/erase_user', { name: 'ann' })
  t.true(await eventually(async () => (await readThing(bob, String(hers.at(-1)))).body === '[erased]'))
  await waitUntilSettled(site)
  await site.stop()
  const again = await startSite({ directory })
  const page = await again.get(`/comments/${link.slice(3)}?limit=500`)
  t.is(counted(childrenOf({ ...page, at: (path) => page.at(`1.${path}`) })), 540)
  await again.stop()
})
