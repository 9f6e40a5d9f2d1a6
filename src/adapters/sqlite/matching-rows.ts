import type { SoughtWords } from '../../ports/search-words.ts'
import type { DataFile } from './connection.ts'
import { BLOCK_ROWS, BLOCK_SEPARATOR, blockPrefix } from './full-text-index.ts'
import { columnOf, type TableLayout } from './tables.ts'

/*
 * Finds the rows of a block that a search matches, as a bit for each. The engine is asked for each text of a search by itself, and its
 * answer is kept: the texts that restrict a search are the same in nearly all of them, and some others are asked for again and again.
 */

const WORD_BITS = 32

/** A bit for each row of a block. */
export type BlockRows = Uint32Array

const noRows = (): BlockRows => new Uint32Array(BLOCK_ROWS / WORD_BITS)

type Kept = { state: string; dataVersion: number; blocks: number; readonly texts: Map<string, Map<number, BlockRows>> }

/** The most blocks of rows that the cache holds, of all texts together. An expression counts as the blocks that its bytes would take. */
const MAX_KEPT_BLOCKS = 30_000
const BLOCK_BYTES = 300

const keptBy = new WeakMap<DataFile, Map<string, Kept>>()

const noAnswers = (): Kept => ({ state: '', dataVersion: -1, blocks: 0, texts: new Map() })

/**
 * Returns two records of the engine: the numbers of rows and words of the index, and its parts. One of them changes with every change of
 * the index.
 */
const stateOf = ({ rows }: DataFile, words: string): string => {
  const records = rows(`SELECT hex(block) FROM ${words.slice(0, -1)}_data" WHERE id IN (1, 10)`).all() as unknown as [string][]
  return records.join()
}

/** Returns the kept answers of an index, if it has not changed since. It must run inside a read transaction. */
const keptOf = (connection: DataFile, words: string): Kept => {
  const known = keptBy.get(connection) ?? new Map<string, Kept>()
  keptBy.set(connection, known)
  const dataVersion = connection.dataVersion()
  const answers = known.get(words) ?? noAnswers()
  if (answers.dataVersion === dataVersion) return answers
  const state = stateOf(connection, words)
  const current = answers.state === state ? answers : noAnswers()
  current.state = state
  current.dataVersion = dataVersion
  known.set(words, current)
  return current
}

/** Returns the engine's expression for a text in any block. A mark stands before each word, so that nothing in it is syntax. */
const expressionOf = ({ words, fields }: Extract<SoughtWords, { readonly words: readonly string[] }>): string => {
  const phrase = `"${words.map((word) => BLOCK_SEPARATOR + word).join(' ')}"`
  return fields ? `{${fields.map(columnOf).join(' ')}} : ${phrase}` : phrase
}

const rowsOfText = (connection: DataFile, words: string, answers: Kept, expression: string, block: number): BlockRows => {
  const known = answers.texts.get(expression)?.get(block)
  if (known) return known
  const text = `SELECT json_group_array(rowid) FROM ${words} WHERE ${words} MATCH ?`
  const [found] = connection.rows(text).get(expression.replaceAll(BLOCK_SEPARATOR, blockPrefix(block))) as unknown as [string]
  const rows = noRows()
  for (const row of JSON.parse(found) as readonly number[]) {
    const at = row % BLOCK_ROWS
    rows[at >>> 5] = (rows[at >>> 5] ?? 0) | (1 << (at & 31))
  }
  if (answers.blocks >= MAX_KEPT_BLOCKS) {
    answers.texts.clear()
    answers.blocks = 0
  }
  const blocks = answers.texts.get(expression) ?? new Map<number, BlockRows>()
  answers.blocks += blocks.size === 0 ? 1 + Math.floor((2 * expression.length) / BLOCK_BYTES) : 1
  answers.texts.set(expression, blocks.set(block, rows))
  return rows
}

const isEmpty = (rows: BlockRows): boolean => rows.every((bits) => bits === 0)

const combineRows = (a: BlockRows, b: BlockRows, by: (a: number, b: number) => number): BlockRows => a.map((bits, n) => by(bits, b[n] ?? 0))

const matchRows = (
  rowsWith: (text: Extract<SoughtWords, { readonly words: readonly string[] }>) => BlockRows,
  sought: SoughtWords,
): BlockRows => {
  if ('words' in sought) return rowsWith(sought)
  if ('any' in sought) return sought.any.reduce((found, part) => combineRows(found, matchRows(rowsWith, part), (a, b) => a | b), noRows())
  let found: BlockRows | undefined
  for (const part of sought.all) {
    const rows = matchRows(rowsWith, part)
    found = found ? combineRows(found, rows, (a, b) => a & b) : rows
    if (isEmpty(found)) return found
  }
  return sought.except.reduce((left, part) => combineRows(left, matchRows(rowsWith, part), (a, b) => a & ~b), found ?? noRows())
}

/** Returns the rows of a block that a search finds. */
export const rowsInBlock = (connection: DataFile, { words = '' }: TableLayout, sought: SoughtWords, block: number): BlockRows =>
  connection.read(() => {
    const answers = keptOf(connection, words)
    return matchRows((text) => rowsOfText(connection, words, answers, expressionOf(text), block), sought)
  })

const countBits = (bits: number): number => {
  let [left, count] = [bits, 0]
  for (; left !== 0; left &= left - 1) count += 1
  return count
}

/** The rows found in several blocks. */
export type FoundRows = {
  /** Adds rows of a block, the newest ones if they are too many. */
  readonly add: (rows: BlockRows, block: number) => void
  readonly size: () => number
  readonly has: (n: number) => boolean
  /** Returns the lowest number among them. */
  readonly oldest: () => number
  readonly numbers: () => readonly number[]
}

export const foundRows = (most: number): FoundRows => {
  const blocks = new Map<number, BlockRows>()
  let size = 0
  return {
    add: (rows, block) => {
      const copied = rows.slice()
      for (let n = copied.length - 1; n >= 0; n -= 1) {
        let bits = copied[n] ?? 0
        let count = countBits(bits)
        for (; size + count > most; count -= 1) bits &= bits - 1
        copied[n] = bits
        size += count
      }
      blocks.set(block, copied)
    },
    size: () => size,
    has: (n) => {
      const at = n % BLOCK_ROWS
      return (((blocks.get((n - at) / BLOCK_ROWS)?.[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1
    },
    oldest: () => Math.min(...blocks.keys()) * BLOCK_ROWS,
    numbers: () => {
      const numbers: number[] = []
      for (const [block, rows] of blocks)
        for (const [n, bits] of rows.entries())
          for (let remainingBits = bits; remainingBits !== 0; remainingBits &= remainingBits - 1)
            numbers.push(block * BLOCK_ROWS + n * WORD_BITS + 31 - Math.clz32(remainingBits & -remainingBits))
      return numbers
    },
  }
}
