// Decision 82.

import { type CssNode, generate, parse, type SyntaxParseError, walk } from 'css-tree'
import { MAX_STYLESHEET_BYTES } from '../../domain/stylesheet.ts'
import { isSafeAtRule, isSafeFunction, isSafeProperty, safeNodes } from './safe-css.ts'

/** An error in a stylesheet and its line, from 1. */
export type Problem = { readonly line: number; readonly message: string }

/** `files`: the images by the names that a stylesheet may use. `folder`: their address. */
export type CompileInput = { readonly source: string; readonly files: Readonly<Record<string, string>>; readonly folder: string }

/** The stylesheet to publish and the files it uses; or its errors, at most so many. */
export type CompileOutput = { readonly css: string; readonly shown: readonly string[] } | { readonly problems: readonly Problem[] }

const MAX_LISTED_PROBLEMS = 20

/** Characters that could hide something from the parser or from a viewer of the source. */
const hidden = /[\\\p{Cf}\p{Co}\p{Cs}]|[\p{Cc}--[\t\n\r]]/v

const lineAt = (source: string, offset: number): number => source.slice(0, offset).split('\n').length

const nameIn = /^%%([A-Za-z0-9-]{1,100})%%$/

/** `attr(x url)`: the address in an attribute of the page, which may be any. */
const readsAddress = (node: CssNode): boolean =>
  node.type === 'Function' &&
  /^(-\w+-)?attr$/i.test(node.name) &&
  node.children.toArray().some((child, place) => place > 0 && child.type === 'Identifier' && child.name.toLowerCase() === 'url')

const problemOf = (node: CssNode, files: CompileInput['files']): string | undefined => {
  if (!safeNodes.has(node.type)) return 'this is not understood'
  if (node.type === 'Atrule' && !isSafeAtRule(node.name)) return `@${node.name} is not allowed`
  if (node.type === 'Declaration' && !isSafeProperty(node.property)) return `the property ${node.property} is not allowed`
  if (node.type === 'Function' && !isSafeFunction(node.name)) return `the function ${node.name} is not allowed`
  if (readsAddress(node)) return 'attr() of an address is not allowed'
  if (node.type !== 'Url') return undefined
  const [, name] = nameIn.exec(node.value) ?? []
  if (name === undefined) return 'only images of the subsite may be shown, as url(%%name%%)'
  return Object.hasOwn(files, name) ? undefined : `there is no image called ${name}`
}

/** Checks a stylesheet and replaces image names by addresses. Throws only if out of memory. */
export const compile = ({ source, files, folder }: CompileInput): CompileOutput => {
  if (Buffer.byteLength(source) > MAX_STYLESHEET_BYTES)
    return { problems: [{ line: 1, message: `a stylesheet has at most ${MAX_STYLESHEET_BYTES / 1024} KiB` }] }
  const odd = hidden.exec(source)
  if (odd) return { problems: [{ line: lineAt(source, odd.index), message: 'backslashes and invisible characters are not allowed' }] }
  const problems: Problem[] = []
  const note = (line: number, message: string) => {
    if (problems.length < MAX_LISTED_PROBLEMS) problems.push({ line, message })
  }
  try {
    const onParseError = (error: SyntaxParseError): void => {
      if (error instanceof RangeError) throw error // the parser reports what overflows its stack like an error of syntax, without a line
      note(error.line, error.message)
    }
    const sheet = parse(source, { positions: true, onParseError })
    const shown = new Set<string>()
    walk(sheet, (node) => {
      const problem = problemOf(node, files)
      if (problem !== undefined) note(node.loc?.start.line ?? 1, problem)
      else if (node.type === 'Url') {
        const file = files[nameIn.exec(node.value)?.[1] ?? ''] ?? ''
        shown.add(file)
        node.value = `${folder}/${file}`
      }
    })
    if (problems.length > 0) return { problems }
    const css = generate(sheet)
    // nothing that could end a style element, wherever the text is embedded
    return css.includes('</') ? { problems: [{ line: 1, message: '</ is not allowed' }] } : { css, shown: [...shown].sort() }
  } catch (error) {
    if (error instanceof RangeError) return { problems: [{ line: 1, message: 'this is nested too deeply' }] }
    throw error
  }
}
