import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { eventTypes } from '../../src/http/pages/history/event-sentences.ts'
import { siteFiles } from '../../src/http/present/site-files.ts'
import { root } from './pages.ts'

type Node = DefaultTreeAdapterTypes.Node

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

const sourcesIn = (directory: string): readonly string[] =>
  readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|css)$/.test(file) && !file.endsWith('wire-types.ts'))
    .map((file) => readFileSync(join(root, directory, file), 'utf8'))

/** The words of the templates and classes of all pages, of the types of events, and of the addresses of the style sheet and the script. */
const fixed: ReadonlySet<string> = new Set(
  [
    ...sourcesIn('src/http/pages'),
    ...eventTypes.map((type) => type.replace(/[A-Z]/g, ' $&')),
    ...Object.values(siteFiles).map(({ address }) => address),
  ].flatMap(wordsIn),
)

/** A plot is skipped: the table beside it has its numbers. */
const isPlot = (node: Node): boolean => 'tagName' in node && node.tagName === 'svg'

const textsIn = (node: Node): readonly string[] => [
  ...('value' in node ? [node.value] : []),
  ...('attrs' in node ? node.attrs.map(({ value }) => value) : []),
  ...('content' in node ? textsIn(node.content) : []),
  ...('childNodes' in node ? node.childNodes.filter((one) => !isPlot(one)).flatMap(textsIn) : []),
]

/** Returns the texts of a page as a browser reads it, and the values of all its attributes. */
const textsOfPage = (html: string): readonly string[] => textsIn(parse(html)).map((text) => decodeEntities(text))

const decodeEntities = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const leavesOf = (value: unknown): readonly unknown[] =>
  value !== null && typeof value === 'object' ? Object.entries(value).flatMap(([name, one]) => [name, ...leavesOf(one)]) : [value]

/** Returns what a page may write of a value of a JSON answer: a text also as the markup in it reads, a name also as
 * its words, a number also as a time. */
const writtenOf = (leaf: unknown): readonly string[] => {
  if (typeof leaf === 'string') {
    const plain = [leaf, leaf.replaceAll('_', ' ')]
    return /[<&%]/.test(leaf) ? [...plain, decodeEntities(leaf), ...textsOfPage(leaf)] : plain
  }
  if (typeof leaf !== 'number') return [String(leaf)]
  const isTime = leaf > 1e9 && leaf < 1e11
  const isTimeInMs = leaf > 1e12 && leaf < 1e14
  const at = isTime ? new Date(leaf * 1000) : isTimeInMs ? new Date(Math.floor(leaf / 1000) * 1000) : undefined
  const iso = at?.toISOString() ?? ''
  const month = at?.toLocaleString('en', { month: 'long', timeZone: 'UTC' }) ?? ''
  return [String(leaf), leaf.toLocaleString('en'), iso.replace('.000', ''), iso.slice(0, 10), iso.slice(11, 16), month]
}

/**
 * Returns the words of a page that are neither in its JSON answers nor in the templates. A number may count values of the answers. `others`
 * are texts that the viewer knows beside them: the address, header fields of the response.
 */
export const wordsBeyond = (html: string, answers: readonly unknown[], others: readonly string[]): readonly string[] => {
  const leaves = answers.flatMap(leavesOf)
  const known = new Set([...leaves.flatMap(writtenOf), ...others.flatMap((text) => [text, decodeEntities(text)])].flatMap(wordsIn))
  const isCount = (word: string): boolean => /^\d{1,4}$/.test(word) && Number(word) <= leaves.length
  const beyond = textsOfPage(html)
    .flatMap(wordsIn)
    .filter((word) => !known.has(word) && !fixed.has(word) && !isCount(word))
  return [...new Set(beyond)]
}
