import type { Fields } from '../contract/incoming.ts'
import type { Html } from '../wire/html.ts'
import type { components } from './wire-types.ts'

type Schemas = components['schemas']
type Answers = Schemas['Answers']

/** The endpoints that answer a GET with JSON, as lists of endpoints name them. */
export type ReadName = keyof Answers
/** The JSON that an endpoint answers. */
export type Body<Name extends ReadName> = Answers[Name]
/** A record of the interface by its name: `Wire<'Link'>`. */
export type Wire<Name extends keyof Schemas> = Schemas[Name]

/** The viewer, with the facts that the header shows; undefined without a session. */
export type PageViewer = Wire<'SessionAccount'> & { readonly modhash: string }

/** A form that was refused: what was typed into it is shown again, with the reason beside the field. */
export type RefusedForm = {
  /** The path that the form was posted to. */
  readonly action: string
  readonly fields: Fields
  readonly code: string
  readonly text: string
  readonly field: string | null
  /** The page that the refusal names: the earlier submission of the address. */
  readonly instead?: string | undefined
  /** The further members of the refusal, such as the text that somebody else saved meanwhile. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** The address of a page, and the way it is seen. */
export type At = {
  /** The path, with its query as sent. */
  readonly target: string
  readonly path: string
  readonly query: URLSearchParams
  /** The site part of the path: `tea` of `/s/tea/hot`. */
  readonly sub: string | undefined
  readonly publicUrl: string
  /** The address to come back to after logging in. */
  readonly back: string
  /** The log position that the page shows. */
  readonly position: string
  /** The time of a copy that is only read; undefined where the site runs. */
  readonly copyOf: Date | undefined
}

/** The published stylesheet of a subsite, and whether this reader wants it. */
export type Styling = {
  readonly address: string
  readonly isShown: boolean
  /** The sheet of the page, where that is not the site's own. */
  readonly pageSheet?: string | undefined
}

/** The answers that a page is rendered from. */
export type Shown<Main, Also = unknown> = {
  readonly body: Main
  /** The answers that the page asked for besides; undefined where this viewer is refused one. */
  readonly also: Also
  /** The subsite of the page, with its name, rules and sidebar. */
  readonly subsite: Wire<'Subsite'> | undefined
  readonly styling: Styling | undefined
  readonly viewer: PageViewer | undefined
  readonly at: At
  readonly form: RefusedForm | undefined
}

/** The surroundings that every part of a page may ask for. */
export type Around = Omit<Shown<unknown>, 'body' | 'also'>

/** An address that a page asks besides its own. */
export type AskedAddress<Name extends ReadName> = { readonly of: Name; readonly target: string }

/** The address of an endpoint, so that its answer has a type. */
export const ask = <Name extends ReadName>(of: Name, target: string): AskedAddress<Name> => ({ of, target })

type Asked = Readonly<Record<string, AskedAddress<ReadName> | undefined>>
type Answered<Also extends Asked> = {
  readonly [K in keyof Also]: NonNullable<Also[K]> extends AskedAddress<infer Name> ? Body<Name> | undefined : never
}

/** The differences between one page and all others. */
export type PageParts<Name extends ReadName, Also extends Asked> = {
  /** Further answers that the page shows. */
  readonly also?: (body: Body<Name>, at: At) => Also
  /** The name of the subsite that the page belongs to, where its path does not say so. */
  readonly subsiteOf?: (body: Body<Name>) => string | undefined
  readonly title: (shown: Shown<Body<Name>, Answered<Also>>) => string
  /** A sentence for previews of links; no more than the JSON says. */
  readonly description?: (shown: Shown<Body<Name>, Answered<Also>>) => string | undefined
  readonly main: (shown: Shown<Body<Name>, Answered<Also>>) => Html
  readonly aside?: (shown: Shown<Body<Name>, Answered<Also>>) => Html | undefined
  /** The tab of the navigation that is the current one. */
  readonly tab?: (shown: Shown<Body<Name>, Answered<Also>>) => string | undefined
  /** The address that search engines should know the page by; absent: its path. */
  readonly canonical?: (shown: Shown<Body<Name>, Answered<Also>>) => string
  /** `none`: search engines leave the page out. */
  readonly robots?: 'none' | ((shown: Shown<Body<Name>, Answered<Also>>) => 'none' | undefined)
  /** True if the page has a feed at its address with `.rss`. */
  readonly feed?: true
}

/** A page without its type parameters, for the list of pages. */
export type AnyPage = {
  readonly of: ReadName
  readonly also?: (body: never, at: At) => Asked
  readonly subsiteOf?: (body: never) => string | undefined
  readonly title: (shown: never) => string
  readonly description?: (shown: never) => string | undefined
  readonly main: (shown: never) => Html
  readonly aside?: (shown: never) => Html | undefined
  readonly tab?: (shown: never) => string | undefined
  readonly canonical?: (shown: never) => string
  readonly robots?: 'none' | ((shown: never) => 'none' | undefined)
  readonly feed?: true
}

/** The page of an answer that cannot be asked for again, to a form that names no page to go on to. */
export type FormAnswer<Made> = {
  /** The endpoint that the form was posted to. */
  readonly of: string
  readonly title: string
  readonly main: (made: Made, around: Around) => Html
}

/** Declares the page of an endpoint: its answer as markup. */
export const pageFor = <Name extends ReadName, Also extends Asked = Record<never, never>>(
  of: Name,
  parts: PageParts<Name, Also>,
): AnyPage => ({
  of,
  ...parts,
})
