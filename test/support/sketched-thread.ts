import { openCommentIndex } from '../../src/queries/comment-index.ts'
import type { TreeRequest } from '../../src/queries/comment-tree.ts'

type Sketch = {
  readonly parent?: string
  readonly score?: number
  readonly author?: string
  readonly deleted?: boolean
  readonly removed?: boolean
  readonly distinguished?: boolean
}

export const thread = (comments: Readonly<Record<string, Sketch>>) => {
  const names = Object.keys(comments)
  const { add, index } = openCommentIndex()
  for (const [name, sketch] of Object.entries(comments)) {
    const { parent, score = 1, author = 'someone', deleted = false, removed = false, distinguished = false } = sketch
    add({
      seq: names.indexOf(name),
      parent: parent === undefined ? undefined : names.indexOf(parent),
      author,
      ups: 0,
      downs: score,
      length: 10,
      deleted,
      removed,
      distinguished,
    })
  }
  const rowOf = (name: string) => index().rowOf(names.indexOf(name)) ?? Number.NaN
  return { index: index(), rowOf, nameOf: (row: number) => names[index().seq[row] ?? 0] ?? '?' }
}

export const usual: TreeRequest = {
  view: { kind: 'whole' },
  sort: 'top',
  linkAuthor: 'op',
  limit: 100,
  depth: 10,
  showMore: true,
  isGone: () => false,
  random: () => 0.5,
}
