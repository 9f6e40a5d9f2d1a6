import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import type { AnyEndpoint, Param } from './endpoint.ts'
import type { Body, Fields } from './incoming.ts'
import { tokens } from './name-params.ts'
import type { Refusal } from './refusals.ts'

/** Sources of parameters: body, then query, then path; the first non-empty value counts. */
export type Sources = { readonly body: Body; readonly query: Fields; readonly path: Fields }

const sent = ({ body, query, path }: Sources, name: string): string | undefined =>
  body.fields[name] || query[name] || path[name] || (body.fields[name] ?? query[name] ?? path[name])

const sentUnder = (sources: Sources, name: string, aliases: readonly string[]): string | undefined => {
  const value = sent(sources, name)
  if (value || aliases.length === 0) return value
  for (const alias of aliases) {
    const other = sent(sources, alias)
    if (other) return other
  }
  return value
}

export const field = (sources: Sources, name: string): string => sent(sources, name) ?? ''

/** The parameters of one request. */
export type Decoder = {
  /** The parameters that no need decodes, in order; the first refusal is returned. */
  readonly early: (sources: Sources, fixed: Fields) => Either<Refusal, Readonly<Record<string, unknown>>>
  readonly one: (sources: Sources, fixed: Fields, name: string) => Either<Refusal, unknown>
  /** What was sent for the parameters that name things, whether or not it names any. */
  readonly things: (sources: Sources) => readonly string[]
  /** Markdown texts as sent, unless they are too long. */
  readonly markdown: (sources: Sources) => readonly { readonly name: string; readonly text: string }[]
}

/** The body itself, or the field `json` of a form, as some clients send it. */
const jsonOf = ({ fields, text }: Body): string | undefined => (text?.trimStart().startsWith('{') ? text : (fields.json ?? text))

/** Decodes the declared parameters. A value fixed by the address itself (`/message/inbox`) cannot be overridden. */
export const decoderOf = ({ params, jsonBody }: Pick<AnyEndpoint, 'params' | 'jsonBody'>): Decoder => {
  const early = Object.entries<Param<unknown>>(params).filter(([, { late }]) => !late)
  const markdown = Object.entries<Param<unknown>>(params).filter((entry) => entry[1].markdown !== undefined)
  const naming = Object.entries<Param<unknown>>(params).filter(([, { namesThings }]) => namesThings)
  const decode = (sources: Sources, fixed: Fields, name: string, param: Param<unknown>) =>
    param.decode(name === jsonBody ? jsonOf(sources.body) : (fixed[name] ?? sentUnder(sources, name, param.aliases)), name)
  return {
    early: (sources, fixed) => {
      const values: Record<string, unknown> = {}
      for (const [name, param] of early) {
        const decoded = decode(sources, fixed, name, param)
        if (E.isLeft(decoded)) return decoded
        values[name] = decoded.right
      }
      return E.right(values)
    },
    one: (sources, fixed, name) => {
      const param = params[name]
      if (!param) throw new Error(`a need decodes ${name}, but no such parameter is declared`)
      return decode(sources, fixed, name, param)
    },
    things: (sources) => [
      ...new Set(naming.flatMap(([name, { aliases }]) => tokens((sentUnder(sources, name, aliases) ?? '').toLowerCase()))),
    ],
    markdown: (sources) =>
      markdown.flatMap(([name, { aliases, markdown: max = 0 }]) => {
        const text = sentUnder(sources, name, aliases)
        return text === undefined || text.length > 2 * max ? [] : [{ name, text }]
      }),
  }
}
