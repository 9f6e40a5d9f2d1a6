import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import { type Entry, type Row, short, shortened } from '../ledger.ts'
import { entry, type Rules } from './rule.ts'

// Snapshots from which decisions read a stream: its state as of one of its events, without sealed texts.

type Snapshot = { readonly text: number; readonly state: unknown }

/** `writes`: the event writes the stream's text anew. */
const step = <State>({ stream, revision, id }: Envelope, change: (state: State) => unknown, writes = false): readonly Entry[] => [
  entry<Snapshot>('snapshots', stream, (before) => ({
    id: stream,
    revision,
    event: id,
    text: writes ? revision : (before?.text ?? 0),
    state: change(before?.state as State),
  })),
]

const set =
  (fields: Row, writes = false) =>
  (event: Envelope): readonly Entry[] =>
    step<Row>(event, (state) => ({ ...state, ...fields }), writes)

type Notifications = readonly { readonly account: string }[]
type Seat = { readonly account: string; readonly permissions: string }
type Seats = { readonly moderators: readonly Seat[]; readonly invitations: readonly Seat[] }
type Sticky = { readonly target: { readonly id: string } }

const originOf = ({ id, revision }: Envelope) => ({ id, revision })
const nobody: Seats = { moderators: [], invitations: [] }
const others = <S extends Seat>(seats: readonly S[], account: string): readonly S[] => seats.filter((one) => one.account !== account)

const sit = (event: Logged<'ModeratorAdded' | 'ModeratorInvitationAccepted'>): readonly Entry[] => {
  const { account, permissions } = event.data
  const seat = { account, permissions, origin: originOf(event) }
  return step<Seats>(event, ({ moderators, invitations } = nobody) => ({
    moderators: [...moderators, seat],
    invitations: others(invitations, account),
  }))
}

const permit = (seats: readonly Seat[], account: string, permissions: string): readonly Seat[] =>
  seats.map((seat) => (seat.account === account ? { ...seat, permissions } : seat))

type InWiki = Envelope & { readonly data: { readonly subsite: string; readonly page: string } }
type PageState = { readonly editors: readonly string[] }

const stepPage = (event: InWiki, change: (state: PageState) => object): readonly Entry[] => {
  const { subsite, page } = event.data
  const unwritten = { subsite, page, current: null, permlevel: 0, listed: true, editors: [] }
  return step<PageState | undefined>(event, (state = unwritten) => ({ ...state, ...change(state) }))
}

type Template = { readonly id: string }
type FlairOffer = { readonly settings: Row; readonly user: readonly Template[]; readonly link: readonly Template[] }
const offered: FlairOffer = {
  settings: {
    flair_enabled: true,
    flair_position: 'right',
    link_flair_position: '',
    flair_self_enabled: false,
    link_flair_self_enabled: false,
  },
  user: [],
  link: [],
}

const templates =
  (change: (list: readonly Template[], data: Logged<'FlairTemplateAdded'>['data']) => readonly Template[]) =>
  (event: Envelope & { readonly data: { readonly kind: 'user' | 'link' } }): readonly Entry[] =>
    step<FlairOffer>(event, (state = offered) => ({
      ...state,
      [event.data.kind]: change(state[event.data.kind], event.data as Logged<'FlairTemplateAdded'>['data']),
    }))

const templateOf = ({ template: id, text, css, editable }: Logged<'FlairTemplateAdded'>['data']) => ({
  id,
  text: short(text),
  css: short(css),
  editable,
})

export const snapshotRules: Rules = {
  LinkSubmitted: (event) => {
    const { link: id, subsite, author, url, over18, sendReplies, filtered } = event.data
    const place = { id, subsite, author, title: '', isSelf: url === undefined, excerpt: '', created: event.at }
    const options = { over18, contestMode: false, suggestedSort: '', sendReplies }
    return step(event, () => ({
      ...place,
      ...options,
      locked: false,
      removed: filtered,
      deleted: false,
      erased: false,
      ignoresReports: false,
      distinguished: null,
    }))
  },
  LinkEdited: set({ ignoresReports: false }, true),
  LinkDeleted: set({ deleted: true }),
  LinkErased: set({ erased: true }),
  LinkRemoved: set({ removed: true }),
  LinkApproved: set({ removed: false }),
  LinkLocked: set({ locked: true }),
  LinkUnlocked: set({ locked: false }),
  LinkDistinguished: (event) => set({ distinguished: event.data.after })(event),
  CommentDistinguished: (event) => {
    const { after, notified } = event.data
    return step<Row & { readonly notified: Notifications }>(event, (state) => ({
      ...state,
      distinguished: after,
      wasDistinguished: true,
      notified: [...(state?.notified ?? []), ...notified],
    }))
  },
  LinkMarkedNsfw: set({ over18: true }),
  LinkUnmarkedNsfw: set({ over18: false }),
  LinkContestModeSet: set({ contestMode: true }),
  LinkContestModeUnset: set({ contestMode: false }),
  LinkSortSuggested: (event) => set({ suggestedSort: event.data.after })(event),
  LinkRepliesSet: (event) => set({ sendReplies: event.data.after })(event),
  CommentRepliesSet: (event) => set({ sendReplies: event.data.after })(event),
  LinkReportsIgnored: set({ ignoresReports: true }),
  LinkReportsUnignored: set({ ignoresReports: false }),
  CommentPosted: (event) => {
    const { comment: id, link, linkAuthor, subsite, author, parent, notified, filtered } = event.data
    const place = { id, link, linkAuthor, subsite, author, parent, excerpt: '', created: event.at, notified }
    return step(event, () => ({
      ...place,
      removed: filtered,
      deleted: false,
      erased: false,
      ignoresReports: false,
      distinguished: null,
      wasDistinguished: false,
      sendReplies: true,
    }))
  },
  CommentEdited: (event) => {
    const { notified, withdrawn } = event.data
    const nowNotified = (before: Notifications) => [...before.filter(({ account }) => !withdrawn.includes(account)), ...notified]
    return step<Row & { readonly notified: Notifications }>(
      event,
      (state) => ({ ...state, ignoresReports: false, notified: nowNotified(state?.notified ?? []) }),
      true,
    )
  },
  CommentDeleted: set({ deleted: true }),
  CommentErased: set({ erased: true }),
  CommentRemoved: set({ removed: true }),
  CommentApproved: set({ removed: false }),
  CommentReportsIgnored: set({ ignoresReports: true }),
  CommentReportsUnignored: set({ ignoresReports: false }),
  ModeratorAdded: sit,
  ModeratorInvitationAccepted: sit,
  ModeratorInvited: (event) => {
    const { account, permissions } = event.data
    return step<Seats>(event, (state = nobody) => ({
      ...state,
      invitations: [...state.invitations, { account, permissions, origin: originOf(event) }],
    }))
  },
  ModeratorInvitationWithdrawn: (event) =>
    step<Seats>(event, (state = nobody) => ({ ...state, invitations: others(state.invitations, event.data.account) })),
  ModeratorPermissionsChanged: (event) => {
    const { account, invitation, after } = event.data
    const list = invitation ? 'invitations' : 'moderators'
    return step<Seats>(event, (state = nobody) => ({ ...state, [list]: permit(state[list], account, after) }))
  },
  ModeratorRemoved: (event) =>
    step<Seats>(event, (state = nobody) => ({ ...state, moderators: others(state.moderators, event.data.account) })),
  LinkStickied: (event) => {
    const { target, slot } = event.data
    const sticky = { target: { id: target.id, author: target.author }, origin: originOf(event) }
    return step<readonly Sticky[]>(event, (state = []) => state.toSpliced(slot - 1, 0, sticky))
  },
  LinkUnstickied: (event) =>
    step<readonly Sticky[]>(event, (state = []) => state.filter(({ target }) => target.id !== event.data.target.id)),
  FlairSettingChanged: (event) =>
    step<FlairOffer>(event, (state = offered) => ({ ...state, settings: { ...state.settings, [event.data.setting]: event.data.after } })),
  FlairTemplateAdded: templates((list, data) => list.concat(templateOf(data))),
  FlairTemplateChanged: templates((list, data) => list.map((one) => (one.id === data.template ? templateOf(data) : one))),
  FlairTemplateDeleted: templates((list, data) => list.filter(({ id }) => id !== data.template)),
  FlairTemplatesCleared: templates(() => []),
  SubsiteCreated: (event) => {
    const { subsite: id, name, creator, settings } = event.data
    return step(event, () => ({ id, name, creator, settings: shortened(settings) }))
  },
  SubsiteSettingChanged: (event) => {
    const { setting, after } = event.data
    return step<{ readonly settings: Row }>(event, (state) => ({ ...state, settings: { ...state?.settings, [setting]: shortened(after) } }))
  },
  WikiPageRevised: (event) => stepPage(event, () => ({ current: { id: event.id, revision: event.revision } })),
  WikiPageListingChanged: (event) => stepPage(event, () => ({ listed: event.data.listed })),
  WikiPagePermlevelChanged: (event) => stepPage(event, () => ({ permlevel: event.data.after })),
  WikiEditorAdded: (event) => stepPage(event, ({ editors }) => ({ editors: [...editors, event.data.account] })),
  WikiEditorRemoved: (event) => stepPage(event, ({ editors }) => ({ editors: editors.filter((one) => one !== event.data.account) })),
}
