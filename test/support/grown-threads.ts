import { say } from './posting.ts'
import type { Answer, Caller } from './site.ts'

export type Node = {
  readonly kind: string
  readonly data: {
    readonly name: string
    readonly body: string
    readonly parent_id: string
    readonly count: number
    readonly depth: number
    readonly children: readonly string[]
    readonly replies: '' | { readonly data: { readonly children: readonly Node[] } }
  }
}

export const commentsOf = (answer: Answer): readonly Node[] => answer.at('1.data.children') as readonly Node[]

/** Comments by indented lines: each replies to the nearest line above with less indentation. Body to fullname. */
export const grow = async (author: Caller, link: string, text: string): Promise<Readonly<Record<string, string>>> => {
  const made: Record<string, string> = {}
  const path: string[] = []
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const level = line.search(/\S/) / 2
    path.length = level
    const body = line.trim()
    made[body] = await say(author, path.at(-1) ?? link, body)
    path.push(made[body])
  }
  return made
}

export const outline = 'A\n  a1\n    x\n    y\n  a2\nB\nC\n  c1'
