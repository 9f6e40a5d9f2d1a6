import type { EndlessBody } from './followers.ts'

/** The content of a page that an endpoint makes itself: its forms need no script and no JSON. */
export type FramedContent = {
  readonly title: string
  /** Markup of the tag `html`. */
  readonly main: { readonly text: string }
  /** The markup for a page on its own, where it differs. */
  readonly alone?: { readonly text: string }
  /** True if its form may lead to another site, as the consent to an app does. */
  readonly leadsElsewhere?: true
}

/** A handler's reply, which the pipeline serializes. `body` may contain fragments (json-writing.ts). */
export type Reply =
  | {
      readonly kind: 'json'
      readonly body: unknown
      readonly status?: number
      readonly headers?: Readonly<Record<string, string>>
      /** True if it is not cached, since it depends on more than the address, the viewer and the documents. */
      readonly fleeting?: boolean
    }
  /** A form's success: `{"json":{"errors":[],"data"?}}`. */
  | { readonly kind: 'form'; readonly data?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** A listing's children (fragments or things), first and last fullname as the paging rules say. */
  | {
      readonly kind: 'listing'
      readonly children: readonly unknown[]
      readonly after: string | null
      readonly before: string | null
      readonly extra?: Readonly<Record<string, unknown>>
      /** The things of a separate listing before this one. The response is an array of both then. */
      readonly lead?: readonly unknown[]
      readonly fleeting?: boolean
    }
  | {
      readonly kind: 'redirect'
      readonly location: string
      readonly status?: 301 | 302
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'empty'; readonly status: 200 | 201 | 202 | 204; readonly headers?: Readonly<Record<string, string>> }
  /** A body that is made while it is sent. */
  | {
      readonly kind: 'parts'
      readonly type: string
      readonly parts: AsyncIterable<string>
      readonly headers?: Readonly<Record<string, string>>
    }
  /** A body without end; never cached. */
  | {
      readonly kind: 'stream'
      readonly body: EndlessBody
      readonly fleeting: true
      readonly headers?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'text'
      readonly type: string
      readonly body: string | Buffer
      readonly fleeting?: boolean
      readonly status?: number
      /** Content for the frame of the site's pages, which a browser gets in place of the body. */
      readonly framed?: FramedContent
      readonly headers?: Readonly<Record<string, string>>
    }
