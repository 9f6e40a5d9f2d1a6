// Decision 4.

import * as E from 'fp-ts/lib/Either.js'
import type { Comment } from '../../domain/comment.ts'
import { ThingId } from '../../domain/ids.ts'
import type { Link } from '../../domain/link.ts'
import { Report, type ReportEvent, reportThing } from '../../domain/report.ts'
import { putAway, Shelf } from '../../domain/shelf.ts'
import { isModerator } from '../../domain/standing.ts'
import { openReading, type Reading } from '../../queries/reading.ts'
import { membershipsOf } from '../../queries/relations.ts'
import { isLink, type ThingDocument } from '../../queries/things.ts'
import type { Context } from '../contract/endpoint.ts'
import { refuseRule } from '../contract/refusals.ts'
import type { SignedIn } from '../contract/request.ts'
import { type CommentOptions, commentThing } from '../present/comment.ts'
import { type LinkOptions, linkThing } from '../present/link.ts'
import { renderAhead } from '../present/markdown.ts'
import { presentTrimmed } from '../present/subsite.ts'
import type { Fragment } from '../wire/json-writing.ts'
import { isViewerSuspended, loadViewerStanding } from './access.ts'
import { type Replies, recordsOfThose } from './kinds/kind.ts'

export type ThingsOptions = Omit<LinkOptions, 'detail'> &
  Pick<CommentOptions, 'flat'> & {
    /** True for links with the trimmed records of their subsites. */
    readonly detailed?: boolean
  }

/** Presents links and comments as records, by their fullnames. */
export const presentById = async (
  context: Pick<Context, 'documents'>,
  read: Reading,
  things: readonly ThingDocument[],
  { detailed = false, ...options }: ThingsOptions = {},
): Promise<ReadonlyMap<string, Fragment>> => {
  await renderAhead(things.map((thing) => (isLink(thing) ? thing.text : thing.body)))
  const threads = new Set(things.flatMap((thing) => (isLink(thing) ? [] : [thing.link])))
  const around = await read.loadSurroundings(things, [...threads])
  const { account } = read.viewer
  const places = detailed ? [...new Set(things.map(({ subsite }) => subsite))] : []
  const memberships = detailed && account !== undefined ? await membershipsOf(context.documents, account, places, read.now) : undefined
  const detailOf = (id: string) => {
    const subsite = detailed ? read.subsite(id) : undefined
    return (
      subsite && { detail: presentTrimmed(subsite, { viewable: read.mayView(id), membership: memberships?.get(id), base: around.base }) }
    )
  }
  const presented = new Map<string, Fragment>()
  for (const thing of things) {
    const record = isLink(thing)
      ? linkThing(thing, around, detailed ? { ...options, ...detailOf(thing.subsite) } : options)
      : commentThing(thing, around, options)
    if (record) presented.set(thing.id, record)
  }
  return presented
}

/** Presents links and comments as records, in their order. */
export const presentThings = async (
  context: Pick<Context, 'documents'>,
  read: Reading,
  things: readonly ThingDocument[],
  options: ThingsOptions = {},
): Promise<readonly Fragment[]> => {
  const presented = await presentById(context, read, things, options)
  return things.flatMap(({ id }) => presented.get(id) ?? [])
}

/** Presents both kinds together. */
export const postRecords = recordsOfThose<ThingDocument>(ThingId, (context, things) =>
  presentById(context, openReading(context, context.viewer), things),
)

export const repliesToPosts: Replies = { are: 'comment', scope: 'submit', facts: 'recent' }

/** Reports a post. The post is hidden from its reporter, even if the report does not count or is refused, unless they moderate it. */
export const reportPost = async (context: Context<unknown, SignedIn>, post: Link | Comment, reason: string) => {
  const { run, viewer } = context
  const { account, admin } = viewer
  const standing = await loadViewerStanding(context, post.subsite)
  const moderator = isModerator(standing)
  const stream = `${account}.${post.id}`
  if (!moderator && !admin) {
    const hidden = await run(Shelf, stream, putAway({ account, thing: post.id, subsite: post.subsite }))
    if (E.isLeft(hidden)) return hidden
  }
  if (await isViewerSuspended(context)) return refuseRule('IN_TIMEOUT')
  return run<Report, ReportEvent>(Report, stream, reportThing({ account, moderator, banned: standing.banned }, post, reason))
}
