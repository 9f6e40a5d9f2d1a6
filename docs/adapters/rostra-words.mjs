/*
 * The words of Reddit-style clients and those of a Rostra service: `subsite…` is `subreddit…` there, `/s/` is `/r/`, and the kinds of things have
 * other numbers (a link is `t3` there and `t5` here). Everything in this file is a function of its arguments. rostra-proxy.mjs and
 * snoowrap-rostra.mjs need it beside them.
 */

/** The service's t3 (an award), t4 (a subsite), t5 (a link) and t6 (a message), as clients number them. */
const KIND_OF_CLIENTS = { t3: 't6', t4: 't5', t5: 't3', t6: 't4' }
const reversed = (names) => Object.fromEntries(Object.entries(names).map(([one, other]) => [other, one]))
const KIND_OF_SERVICE = reversed(KIND_OF_CLIENTS)

const FULLNAME = /\b(t[3-6])(?=_[0-9a-z]+\b)/g
const FULLNAMES = /^t[1-6]_[0-9a-z]+(?:[, ]+t[1-6]_[0-9a-z]+)*$/
const renamedKinds = (text, kinds) => text.replace(FULLNAME, (kind) => kinds[kind])

// --- scopes ---

const SCOPE_OF_CLIENTS = { mysubsites: 'mysubreddits', csites: 'creddits' }
const SCOPE_OF_SERVICE = { ...reversed(SCOPE_OF_CLIENTS), modlog: 'read', modtraffic: 'read' }
/** The scopes of features that the service does not have. */
const DROPPED_SCOPES = new Set(['livemanage', 'modmail', 'modnote', 'structuredstyles'])

/** A list of scopes may begin with the subsites that a token is limited to: `tea+coffee:read vote`. */
const scopesIn = (text) => {
  const [, limit = '', names = ''] = /^([\w+]*:)?(.*)$/s.exec(text) ?? []
  return { limit, scopes: names.split(/[\s,]+/) }
}

/** If nothing were left, the token would get every scope, so the service receives such a text as it is and refuses it. */
const scopesToService = (text) => {
  const { limit, scopes } = scopesIn(text)
  const known = scopes.filter((scope) => scope !== '' && !DROPPED_SCOPES.has(scope))
  if (known.length === 0) return text
  return limit + [...new Set(known.map((scope) => SCOPE_OF_SERVICE[scope] ?? scope))].join(text.includes(',') ? ',' : ' ')
}

const scopeToClient = (scope) => SCOPE_OF_CLIENTS[scope] ?? scope

/** A token has the scopes that were asked for, so `read` stays alone although it includes `modlog`. */
const scopesToClient = (text) => {
  const { limit, scopes } = scopesIn(text)
  return limit + scopes.map(scopeToClient).join(' ')
}

/** The scopes that a client may ask for instead of one of the service. */
const scopesLike = (scope) => [
  ...new Set([scopeToClient(scope), ...Object.keys(SCOPE_OF_SERVICE).filter((one) => SCOPE_OF_SERVICE[one] === scope)]),
]

const scopeListToClient = (list) =>
  Object.fromEntries(
    Object.entries(list).flatMap(([scope, { description }]) =>
      scopesLike(scope).map((id) => [id, { id, name: id, description: description.replaceAll('subsite', 'subreddit') }]),
    ),
  )

// --- fields ---

const AUTHOR_FIELDS = {
  all_awardings: [],
  approved_at_utc: null,
  author_flair_background_color: null,
  author_flair_richtext: [],
  author_flair_template_id: null,
  author_flair_text_color: null,
  author_flair_type: 'text',
  author_is_blocked: false,
  author_patreon_flair: false,
  author_premium: false,
  awarders: [],
  banned_at_utc: null,
  can_gild: false,
  can_mod_post: false,
  gildings: {},
  mod_note: null,
  mod_reason_by: null,
  mod_reason_title: null,
  no_follow: false,
  send_replies: true,
  top_awarded_type: null,
  total_awards_received: 0,
  treatment_tags: [],
}

/**
 * The fields that clients always receive, by kind, and that the service does not know: each has the value that a new post, account or subreddit
 * would have.
 */
export const USUAL_FIELDS = {
  t1: {
    ...AUTHOR_FIELDS,
    associated_award: null,
    collapsed_because_crowd_control: null,
    collapsed_reason: null,
    collapsed_reason_code: null,
    comment_type: null,
    locked: false,
    unrepliable_reason: null,
  },
  t2: {
    accept_chats: false,
    accept_followers: false,
    accept_pms: true,
    awardee_karma: 0,
    awarder_karma: 0,
    has_subscribed: true,
    icon_img: '',
    is_blocked: false,
    is_employee: false,
    pref_show_snoovatar: false,
    snoovatar_img: '',
    snoovatar_size: null,
    subreddit: null,
  },
  t3: {
    ...AUTHOR_FIELDS,
    allow_live_comments: false,
    category: null,
    content_categories: null,
    discussion_type: null,
    is_created_from_ads_ui: false,
    is_crosspostable: false,
    is_gallery: false,
    is_meta: false,
    is_original_content: false,
    is_reddit_media_domain: false,
    is_robot_indexable: true,
    link_flair_background_color: '',
    link_flair_richtext: [],
    link_flair_text_color: 'dark',
    link_flair_type: 'text',
    media_only: false,
    num_crossposts: 0,
    parent_whitelist_status: null,
    pwls: null,
    removed_by: null,
    removed_by_category: null,
    subreddit_subscribers: 0,
    thumbnail_height: null,
    thumbnail_width: null,
    view_count: null,
    whitelist_status: null,
    wls: null,
  },
  t4: {
    associated_awarding_id: null,
    likes: null,
    num_comments: null,
    score: 0,
  },
  t5: {
    accounts_active_is_fuzzed: false,
    advertiser_category: '',
    all_original_content: false,
    allow_discovery: true,
    allow_galleries: false,
    allow_images: false,
    allow_polls: false,
    allow_videogifs: false,
    allow_videos: false,
    banner_background_color: '',
    banner_background_image: '',
    can_assign_link_flair: false,
    can_assign_user_flair: false,
    community_icon: '',
    community_reviewed: false,
    disable_contributor_requests: false,
    emojis_custom_size: null,
    emojis_enabled: false,
    free_form_reports: true,
    has_menu_widget: false,
    is_crosspostable_subreddit: false,
    is_enrolled_in_new_modmail: null,
    key_color: '',
    link_flair_enabled: false,
    link_flair_position: '',
    mobile_banner_image: '',
    notification_level: null,
    original_content_tag_enabled: false,
    primary_color: '',
    restrict_commenting: false,
    restrict_posting: false,
    should_archive_posts: false,
    spoilers_enabled: false,
    user_can_flair_in_sr: null,
    user_flair_background_color: null,
    user_flair_css_class: null,
    user_flair_enabled_in_sr: false,
    user_flair_position: '',
    user_flair_richtext: [],
    user_flair_template_id: null,
    user_flair_text: null,
    user_flair_text_color: null,
    user_flair_type: 'text',
    user_has_favorited: false,
    user_sr_flair_enabled: null,
    videostream_links_count: 0,
    whitelist_status: null,
    wls: null,
  },
  modaction: {},
  me: {
    coins: 0,
    force_password_reset: false,
    has_android_subscription: false,
    has_external_account: false,
    has_gold_subscription: false,
    has_ios_subscription: false,
    has_paypal_subscription: false,
    has_stripe_subscription: false,
    has_visited_new_profile: false,
    in_redesign_beta: false,
    is_sponsor: false,
    linked_identities: [],
    new_modmail_exists: null,
    num_friends: 0,
    password_set: true,
    pref_autoplay: false,
    pref_clickgadget: 0,
    pref_geopopular: '',
    pref_nightmode: false,
    pref_no_profanity: false,
    pref_show_presence: false,
    pref_show_trending: false,
    pref_top_karma_subreddits: false,
    pref_video_autoplay: false,
  },
}

/** The fields that repeat others in other words. */
const derivedFields = (kind, data, own) => {
  if (kind === 't5') return { display_name_prefixed: `r/${data.display_name}` }
  const prefixed = typeof data.subreddit === 'string' ? { subreddit_name_prefixed: `r/${data.subreddit}` } : {}
  if (kind === 't3') return data.is_self === false ? { ...prefixed, url_overridden_by_dest: data.url } : prefixed
  if (kind === 't1' && typeof data.link_title === 'string' && typeof data.permalink === 'string')
    return { ...prefixed, link_permalink: own + data.permalink.replace(/[^/]+\/$/, '') }
  return prefixed
}

const withUsualFields = (kind, data, own) =>
  USUAL_FIELDS[kind] === undefined ? data : { ...structuredClone(USUAL_FIELDS[kind]), ...derivedFields(kind, data, own), ...data }

// --- addresses ---

/** Fields of responses whose values are addresses. */
const ADDRESSES = new Set(['permalink', 'link_permalink', 'target_permalink', 'context', 'url', 'link_url'])
const SERVICE_PATH = /^\/s\//

/** The address of a thing on the service, which is `https://…/s/{name}/comments/{id}/…`, as one on the client's side. Others stay. */
const addressToClient = (address, things, own) => {
  if (SERVICE_PATH.test(address)) return address.replace(SERVICE_PATH, '/r/')
  const [, path, id] = /^https?:\/\/[^/]+(?:\/[^?#]*?)?(\/s\/\w+\/comments\/([0-9a-z]+)\/.*)$/.exec(address) ?? []
  return path !== undefined && things.includes(id) ? own + path.replace(SERVICE_PATH, '/r/') : address
}

/** A comment's permalink ends in a slash, since clients count its parts. */
const permalinkOfComment = (permalink) => permalink.replace(/[^/]$/, '$&/')

const INVITATION = 'invitation to moderate /s/'
/** References to subsites in a text or its HTML. */
const REFERENCE = /(?<![\w/.])\/s\/(?=[A-Za-z0-9]\w{1,20})/g

/** Bots know an invitation by its subject and the first word of its body. */
const messageToClient = (message) => {
  const hailed = message.subject?.startsWith(INVITATION) === true
  const textToClient = (text, hail) => {
    if (typeof text !== 'string') return text
    const renamed = text.replace(REFERENCE, '/r/')
    return hailed && hail ? renamed.replace(/you are invited/, 'gadzooks! you are invited') : renamed
  }
  return {
    ...message,
    subject: textToClient(message.subject, false),
    body: textToClient(message.body, true),
    body_html: textToClient(message.body_html, true),
  }
}

// --- responses ---

/** Fields of responses whose values are fullnames; in others a text that looks like one is a text. */
const NAMES_THINGS = /^(id|fullname|after|before|target_fullname|first_message_name|\w+_id)$/
const CODE = /^[A-Z]+(_[A-Z]+)*$/

/** The `name` of a thing is its fullname, which ends in its `id`; an account or an app may have a name that only looks like one. */
const isNameOfThing = (name, { id }) => typeof name === 'string' && name.replace(/^t[1-6]_/, '') === id

const fieldToClient = (name) => (name === 'gold_csites' ? 'gold_creddits' : name.replace(/^subsite(?=$|_)/, 'subreddit'))

const idOf = (fullname) => (typeof fullname === 'string' ? fullname.replace(/^t[1-6]_/, '') : undefined)

const isRecord = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)

const valueToClient = (value, key, things, own) => {
  if (Array.isArray(value)) return value.map((one) => valueToClient(one, key, things, own))
  if (isRecord(value)) return recordToClient(value, own)
  if (typeof value !== 'string') return value
  if (key === 'kind') return value === 'subsite_settings' ? 'subreddit_settings' : (KIND_OF_CLIENTS[value] ?? value)
  if (NAMES_THINGS.test(key) && FULLNAMES.test(value)) return renamedKinds(value, KIND_OF_CLIENTS)
  if (ADDRESSES.has(key)) return addressToClient(value, things, own)
  if ((key === 'errors' || key === 'reason') && CODE.test(value)) return value.replace('SUBSITE', 'SUBREDDIT')
  return value
}

const recordToClient = (record, own) => {
  const things = [idOf(record.id), idOf(record.link_id)].filter((id) => id !== undefined)
  const renamed = Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      fieldToClient(name),
      valueToClient(value, name === 'name' && isNameOfThing(value, record) ? 'fullname' : name, things, own),
    ]),
  )
  const { kind, data } = renamed
  if (typeof kind !== 'string' || !isRecord(data)) return renamed
  if (kind === 't1' && typeof data.permalink === 'string') data.permalink = permalinkOfComment(data.permalink)
  const isMessage = kind === 't4' && typeof data.body === 'string'
  return { ...renamed, data: withUsualFields(kind, isMessage ? messageToClient(data) : data, own) }
}

/** The path of an address of the interface, without its extension. */
const pathOf = (target) => target.replace(/[?#].*$/, '').replace(/(\.json)?\/?$/, '')

/**
 * The JSON of the service as clients read it. `path` is the path of the request; some responses are known by it alone. Absolute addresses of
 * things begin with `own`, the address that the client uses.
 */
export const toClient = (value, { own = '', path = '' } = {}) => {
  const asked = pathOf(path)
  if (asked.endsWith('/api/v1/scopes') && isRecord(value) && value.error === undefined) return scopeListToClient(value)
  const renamed = valueToClient(value, '', [], own)
  if (asked.endsWith('/api/v1/me') && typeof renamed?.name === 'string') return withUsualFields('me', withUsualFields('t2', renamed, own), own)
  if (asked.endsWith('/api/v1/access_token') && typeof renamed?.scope === 'string') return { ...renamed, scope: scopesToClient(renamed.scope) }
  return renamed
}

/** An address of the service as the client reaches it; others stay. */
export const locationToClient = (location, base, own) => {
  const target = URL.canParse(location, base) ? new URL(location, base) : undefined
  if (target?.origin !== new URL(base).origin) return location
  return `${own}${target.pathname.replace(SERVICE_PATH, '/r/')}${target.search}${target.hash}`
}

// --- requests ---

/** Parameters whose values are fullnames. */
const NAMING = new Set(['id', 'thing_id', 'parent', 'link_id', 'link', 'links', 'sr', 'container', 'names', 'after', 'before', 'mid'])

/** The value of a parameter of a client as the service reads it. */
export const parameterToService = (name, value) => {
  if (typeof value !== 'string') return value
  if (name === 'scope' || name === 'scopes') return scopesToService(value)
  return NAMING.has(name) && FULLNAMES.test(value) ? renamedKinds(value, KIND_OF_SERVICE) : value
}

/** A query or a form. Parameters without names of things stay as they are written, so that the service itself judges what is malformed. */
export const formToService = (text) =>
  text
    .split('&')
    .map((pair) => {
      const [[name, value] = ['', '']] = new URLSearchParams(pair)
      const renamed = parameterToService(name, value)
      return renamed === value ? pair : String(new URLSearchParams([[name, renamed]]))
    })
    .join('&')

/** The body of a request, of a type that says that it is a form or JSON. */
export const bodyToService = (type, text) => {
  if (type.startsWith('application/x-www-form-urlencoded')) return formToService(text)
  const value = JSON.parse(text)
  if (!isRecord(value)) return text
  return JSON.stringify(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, parameterToService(name, inner)])))
}

/** A path, with or without a query. */
export const pathToService = (target) => {
  const [path = '', ...query] = target.split('?')
  const named = /^\/?(by_id|api\/v1\/gold\/gild)\//.test(path) ? renamedKinds(path, KIND_OF_SERVICE) : path
  const renamed = named.replace(/^(\/?r\/)popular(?=[/.]|$)/, '$1all')
  return query.length === 0 ? renamed : `${renamed}?${formToService(query.join('?'))}`
}
