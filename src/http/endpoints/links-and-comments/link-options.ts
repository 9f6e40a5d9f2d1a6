import * as E from 'fp-ts/lib/Either.js'
import { Link } from '../../../domain/link.ts'
import { type Suggestion, suggestions } from '../../../domain/link-options.ts'
import { markNsfw, setContestMode, suggestSort } from '../../../domain/thing-moderation.ts'
import { type AnyEndpoint, type Need, nothingToDo, type Param, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import {
  describeParam,
  documentRequired,
  flag,
  oneOf,
  optional,
  replaceInvalid,
  replaceRefusal,
  withDefault,
} from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { decodeLate, loadThing, refuseIfDecided, requireModerator } from '../../needs/facts.ts'
import { capacityIn } from '../../things/access.ts'
import { column, kindsWith } from '../../things/kinds/all.ts'

const { post } = section('Links and comments', { scope: 'modposts', login: 'moderator', errors: 'form', accountQuota: 'option' })

/** Returns the link to mark: by its author, or as a moderation action by a moderator with `posts`. */
const requireMarkable: Need<Link, { readonly id: string | undefined }> = async (context) => {
  const { params, load, viewer } = context
  const link = params.id === undefined ? undefined : await load(Link, params.id)
  if (!link) return E.left({ code: 'NO_THING_ID', field: 'id', status: 400 })
  const capacity = await capacityIn(context, link.subsite, 'posts')
  if (capacity) context.actAs(capacity)
  return capacity || link.author === viewer.account ? E.right(link) : refuseRule('FORBIDDEN')
}

const markEndpoint = (over18: boolean, path: string, words: { readonly summary: string; readonly notes: string }) =>
  post(path, {
    ...words,
    errors: 'silent',
    params: {
      id: describeParam(
        documentRequired(replaceInvalid(optional(fullname('link')), undefined)),
        'fullname of a link; anything else is 400',
      ),
    },
    needs: { link: refuseIfDecided(requireMarkable, ({ id }) => id) },
    handle: ({ link, run }) => run(Link, link.id, markNsfw(over18)),
  })

const markAsNsfw = markEndpoint(true, '/api/marknsfw', {
  summary: 'Mark a link as not safe for work.',
  notes:
    'For its author and for moderators with `posts`. A moderator’s call is an entry in the moderation log, also on the moderator’s own link. Marking a marked link changes and logs nothing.',
})

const unmarkAsNsfw = markEndpoint(false, '/api/unmarknsfw', {
  summary: 'Remove the not-safe-for-work mark from a link.',
  notes:
    'For its author and for moderators with `posts`; the entry in the moderation log is `marknsfw` with the details `remove`. In an over-18 subsite every link is shown as marked.',
})

const sorts: Param<Suggestion> = describeParam(
  withDefault<Suggestion, Suggestion>(oneOf(...suggestions), ''),
  'an order of comments, `blank`, or empty',
)

const moderatable = describeParam(replaceRefusal(fullname(...kindsWith('post')), 'FORBIDDEN'), 'fullname of a link')

const contestMode = post('/api/set_contest_mode', {
  summary: 'Switch the contest mode of a link on or off.',
  notes:
    'In contest mode comments are shown in a random order and their scores are hidden, except from moderators with `posts` there and admins. Setting the current state again changes and logs nothing.',
  params: { id: moderatable, state: describeParam(flag(), 'on or off') },
  needs: { act: requireModerator('id', 'posts'), link: loadThing(Link, 'id') },
  handle: ({ link, params, run }) => run(Link, link.id, setContestMode(params.state)),
})

const suggestedSort = post('/api/set_suggested_sort', {
  summary: 'Set the suggested comment order of a link.',
  notes:
    'Used for viewers whose request names no order. `blank`: no suggestion, even if the subsite has one; empty: the suggestion of the subsite. An unknown order is INVALID_OPTION.',
  params: { id: moderatable },
  needs: { act: requireModerator('id', 'posts'), link: loadThing(Link, 'id'), sort: decodeLate(sorts) },
  handle: ({ link, sort, run }) => run(Link, link.id, suggestSort(sort)),
})

const sendReplies = post('/api/sendreplies', {
  scope: 'edit',
  login: 'user',
  whileSuspended: true,
  errors: 'silent',
  summary: 'Turn inbox replies on or off for your link or comment.',
  notes:
    'Applies to later replies; mentions are not affected. A thing that belongs to another account or does not exist is ignored, without an error.',
  params: {
    id: describeParam(replaceInvalid(optional(fullname(...kindsWith('post'))), undefined), 'fullname of an own link or comment'),
    state: describeParam(flag(), 'whether replies come'),
  },
  handle: (context) => {
    const { id = '', state } = context.params
    return column(id, 'authorActs')?.setReplies(context, id, state) ?? E.left(nothingToDo)
  },
})

export const linkOptionEndpoints: readonly AnyEndpoint[] = [markAsNsfw, unmarkAsNsfw, contestMode, suggestedSort, sendReplies]
