import { confidence, funRank, qaRank, scoreOf } from '../domain/ranking.ts'
import type { CommentSort } from '../domain/subsite-settings.ts'
import { type CommentIndex, ROOT_INDEX, repliesOf } from './comment-index.ts'

export type Ranking = { readonly values: Float64Array; readonly better: (a: number, b: number) => number; readonly top: Int32Array }

const rankOf = (index: CommentIndex, sort: CommentSort, linkAuthor: string): ((row: number) => number) => {
  const tally = (row: number) => ({ ups: index.ups[row] ?? 0, downs: index.downs[row] ?? 0, length: index.length[row] ?? 0 })
  switch (sort) {
    case 'new':
      return (row) => index.seq[row] ?? 0
    case 'old':
      return (row) => -(index.seq[row] ?? 0)
    case 'top':
      return (row) => scoreOf(tally(row))
    case 'insightful':
      return (row) => index.ups[row] ?? 0
    case 'fun':
      return (row) => funRank(tally(row))
    case 'confidence':
    case 'random':
      return (row) => confidence(tally(row))
    case 'qa': {
      const answers = bestAnswers(index, linkAuthor)
      return (row) => {
        const answer = answers.get(row)
        return qaRank(tally(row), answer === undefined ? undefined : tally(answer), index.author[row] === linkAuthor)
      }
    }
  }
}

/** Returns the direct reply of the link's author with the highest confidence, for each comment that has one. */
const bestAnswers = (index: CommentIndex, linkAuthor: string): ReadonlyMap<number, number> => {
  const best = new Map<number, number>()
  const confidenceOf = (row: number) => confidence({ ups: index.ups[row] ?? 0, downs: index.downs[row] ?? 0 })
  for (let row = 0; row < index.size; row += 1) {
    const parent = index.parent[row] ?? ROOT_INDEX
    if (parent === ROOT_INDEX || index.author[row] !== linkAuthor) continue
    const known = best.get(parent)
    if (known === undefined || confidenceOf(row) > confidenceOf(known)) best.set(parent, row)
  }
  return best
}

/** Sorts by value, highest first; equal values by tie, lowest first. */
const rankBy = (index: CommentIndex, values: Float64Array, ties: Float64Array): Ranking => {
  const better = (a: number, b: number) => (values[b] ?? 0) - (values[a] ?? 0) || (ties[a] ?? 0) - (ties[b] ?? 0)
  return { values, better, top: repliesOf(index, ROOT_INDEX).slice().sort(better) }
}

// a popular thread is read far more often than it changes
const rankings = new WeakMap<CommentIndex, Map<string, Ranking>>()

export const rankingOf = (index: CommentIndex, sort: CommentSort, linkAuthor: string): Ranking => {
  const known = rankings.get(index) ?? new Map<string, Ranking>()
  rankings.set(index, known)
  const remembered = known.get(sort)
  if (remembered) return remembered
  const rank = rankOf(index, sort, linkAuthor)
  const values = Float64Array.from({ length: index.size }, (_, row) => rank(row))
  const ranking = rankBy(index, values, index.seq)
  known.set(sort, ranking)
  return ranking
}

/** Shuffles the values of top-level comments; replies keep theirs. */
export const shuffleRanking = (index: CommentIndex, { values }: Ranking, random: () => number): Ranking => {
  const dealt = values.slice()
  const ties = index.seq.slice()
  const top = repliesOf(index, ROOT_INDEX)
  for (let i = top.length - 1; i >= 0; i -= 1) {
    const a = top[i] ?? 0
    const b = top[Math.floor(random() * (i + 1))] ?? 0
    const value = dealt[a] ?? 0
    dealt[a] = dealt[b] ?? 0
    dealt[b] = value
    ties[a] = random()
  }
  return rankBy(index, dealt, ties)
}
