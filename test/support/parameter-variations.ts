import { otherValue, plainSettings, type Value } from './settings-oracle.ts'

/*
 * For each parameter of endpoints that change something, a value that changes the result of the same call, and the value that it is
 * compared with. A parameter that is missing here makes a difference by being left out of the row of its endpoint in
 * test/support/authority/rows.ts.
 */

export type Variation = {
  readonly value: Value
  /** Absent: nothing is sent. */
  readonly otherwise?: Value
  /** The one of several rows of the endpoint that is varied; by default the first. */
  readonly what?: string
  /** Sent in both cases. */
  readonly base?: Readonly<Record<string, Value>>
}

const said = { value: 'other words' }
const on = { value: true, otherwise: false }
const off = { value: false, otherwise: true }
const known = { kind: 'link', url: 'https://example.com/tea' }
const ofTea = { model: JSON.stringify({ subreddits: [{ name: 'tea' }] }) }
const ofBan = { otherwise: '', what: 'banned' }

export const variations: Readonly<Record<string, Readonly<Record<string, Variation>>>> = {
  'POST /api/submit': {
    url: { value: known.url, base: { kind: 'link' } },
    resubmit: { value: true, base: known },
    extension: { value: 'json', base: known },
    sendreplies: off,
  },
  'POST /api/report': {
    site_reason: { value: 'spam', base: { reason: 'site_reason_selected' } },
    other_reason: { value: 'mine', base: { reason: 'other' } },
  },
  'POST /api/save': { category: { value: 'later' } },
  'POST /api/sendreplies': { state: off },
  'POST /api/distinguish': { sticky: on }, // a link refuses it
  'POST /api/set_subsite_sticky': { num: { value: 2, otherwise: 1, what: 'in the place of another' } },
  'POST /api/compose': { from_sr: { value: 'tea' } },
  'POST /api/remove': { spam: off },
  'POST [/s/{sub}]/api/flair': { css_class: { value: 'green' } },
  'POST [/s/{sub}]/api/flairconfig': {
    flair_self_assign_enabled: on,
    link_flair_position: { value: 'left', otherwise: 'right' },
    link_flair_self_assign_enabled: on,
  },
  'POST [/s/{sub}]/api/flairtemplate': {
    css_class: { value: 'green' },
    text_editable: on,
    flair_type: { value: 'LINK_FLAIR', otherwise: 'USER_FLAIR' },
  },
  'POST [/s/{sub}]/api/clearflairtemplates': { flair_type: { value: 'LINK_FLAIR', otherwise: 'USER_FLAIR' } },
  'POST [/s/{sub}]/api/selectflair': { text: { value: 'other' } },
  'POST [/s/{sub}]/api/friend': {
    permissions: { value: '+wiki', otherwise: '+mail', what: 'moderator_invite' },
    note: { value: 'a note', ...ofBan },
    ban_reason: { value: 'rude', ...ofBan },
    ban_message: { ...ofBan, value: 'x'.repeat(1_001) },
    duration: { value: 3, ...ofBan },
  },
  'POST /api/site_admin': {
    sr: { value: 't4_1' },
    name: { value: 'new_one', otherwise: 'no name', what: 'a new subsite' },
    ...Object.fromEntries(
      Object.entries(plainSettings).map(([param, plain]) => [param, { value: otherValue(plain), otherwise: plain.first }]),
    ),
    description: said,
    public_description: said,
    submit_text: said,
    hide_ads: on,
  },
  'POST [/s/{sub}]/api/setflairenabled': { flair_enabled: off },
  'POST [/s/{sub}]/api/subsite_stylesheet': {
    reason: { value: 'why' },
    op: { value: 'preview', otherwise: 'save' },
    previous: { value: 'unknown' },
  },
  'POST [/s/{sub}]/api/wiki/edit': { reason: { value: 'why' }, previous: { value: 'unknown' } },
  'POST [/s/{sub}]/wiki/settings/{page}': { listed: off },
  'POST /api/multi/{multipath}': { expand_srs: { value: true, base: ofTea } },
  'PUT /api/multi/{multipath}': { expand_srs: { value: true, base: ofTea } },
}

/** Parameters whose difference a test of its own shows: its file, and its title. */
export const shownElsewhere: Readonly<Record<string, readonly [file: string, title: string]>> = {
  uh: ['gates', 'the modhash can be in the header, the body or the query; the header takes precedence'],
  raw_json: ['submissions', 'the url of a self-post is its own page, and its text is shown as written and as HTML'],
  captcha: ['captcha', 'messages, new subsites and new accounts need a captcha, changes of a subsite do not'],
  iden: ['captcha', 'messages, new subsites and new accounts need a captcha, changes of a subsite do not'],
  expected_position: [
    'concurrent-moderation',
    'of two moderators who act on the same sight of a thing exactly one acts, and the other reads who decided what',
  ],
  expected: [
    'subsite-settings',
    'of settings sent with those that were seen, only the ones that differ are changed, unless somebody was first',
  ],
  at: ['looking-back', 'a link is shown as it was after an event of a number or at a time, without what others made of it'],
  return_rtjson: [
    'comments',
    'with return_rtjson a written thing is answered bare, refusals and edits of what its author cannot view as ever',
  ],
  ...Object.fromEntries(
    ['flair_id', 'flair_text'].map((name) => [
      `POST /api/submit ${name}`,
      [
        'flair-templates',
        'a submission sets the flair of its link, for authors where the subsite lets them choose and for moderators',
      ] as const,
    ]),
  ),
  'POST [/s/{sub}]/wiki/settings/{page} expected': [
    'pages/subsites',
    'a form of the settings of a wiki page does not overwrite what another moderator changed meanwhile',
  ],
  'POST [/s/{sub}]/api/update_subsite_rule expected': [
    'pages/subsites',
    'a form of a rule does not overwrite what another moderator changed meanwhile, until its author has seen it',
  ],
  'POST [/s/{sub}]/api/setpermissions expected': [
    'moderators',
    'permissions, also those of an invitation, are not changed from a sight of them that is out of date',
  ],
  'POST [/s/{sub}]/api/flair link': ['flair', 'each change of link flair by a moderator is a log entry'],
  'POST [/s/{sub}]/api/selectflair link': ['flair-templates', 'an author can choose the flair of a link only where the subsite allows it'],
  'POST [/s/{sub}]/api/flairtemplate flair_template_id': [
    'flair-templates',
    'a template sent with the id of another replaces it, one with an unknown id is new, and each change is logged',
  ],
  'POST [/s/{sub}]/api/unfriend id': ['moderators', 'a senior moderator with all permissions can remove a junior one, who gets a message'],
  'POST /api/vote rank': ['votes', 'rank is recorded or ignored, never refused'],
  'POST [/s/{sub}]/api/friend container': ['users', 'a session makes friends in the container of its own account'],
  'POST [/s/{sub}]/api/unfriend container': ['users', 'a session makes friends in the container of its own account'],
  'POST [/s/{sub}]/api/upload_sr_img upload_type': [
    'images',
    'header, icon and banner are shown in the record of the subsite until they are deleted, each with a log entry',
  ],
  'POST [/s/{sub}]/api/upload_sr_img header': ['images', 'an image is uploaded as the header by header=1 instead of a type'],
  'POST [/s/{sub}]/api/upload_sr_img img_type': [
    'images',
    'an uploaded image is re-encoded, served under its subsite, and has a log entry',
  ],
  'POST [/s/{sub}]/api/upload_sr_img name': [
    'images',
    'an image has a name of up to 100 letters, digits and hyphens, whatever its file is called',
  ],
  'POST [/s/{sub}]/api/upload_sr_img file': [
    'hostile-images',
    'a file that is no complete image of an allowed type and size is refused and not stored',
  ],
  'PATCH /api/v1/me/prefs preferences': [
    'preferences',
    'a patch changes the preferences it names to values they may have, and returns all',
  ],
  'PUT /api/v1/me/friends/{username} friend': ['users', 'friends can be added, read and removed by the v1 endpoint'],
  'POST /api/leavecontributor id': ['moderators', 'leaving with an invalid subsite name does not fall back on the subsite of the path'],
  'POST /api/leavemoderator id': ['moderators', 'leaving with an invalid subsite name does not fall back on the subsite of the path'],
  'POST /api/unblock_subsite id': ['avoiding', 'a message in the name of a subsite blocks the subsite, which then cannot write'],
  'GET [/s/{sub}]/{sort} t': ['listings', 'a time window contains the links made within it'],
  'GET /user/{username}/{where} t': ['listings', 'a time window contains the links made within it'],
  'GET [/s/{sub}]/search t': ['search-results', 'a time window contains the links made within it, in every order'],
  'GET /user/{username}/{where} show': ['user-pages', 'the gildings that an account gave are visible to itself only'],
  'POST /api/store_visits links': [
    'visits',
    'of the visits reported those of links are stored, unless they are none or more than a hundred',
  ],
}

/** A reason that holds for one parameter of several endpoints. */
const because = (reason: string, param: string, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${name} ${param}`, reason]))

/** Listings in which there are no links. */
const withoutLinks = [
  'GET /prefs/{where}',
  'GET [/s/{sub}]/api/flairlist',
  'GET /message/{where}',
  'GET [/s/{sub}]/about/log',
  'GET [/s/{sub}]/about/{where}',
  'GET /subs/mine/{where}',
  'GET /subs/{where}',
  'GET /subsites/search',
  'GET [/s/{sub}]/wiki/revisions',
  'GET [/s/{sub}]/wiki/revisions/{page}',
]
/** Listings of links from which neither hides nor preferences take anything. */
const ofAllLinks = [
  'GET /duplicates/{article}',
  'GET [/s/{sub}]/search',
  'GET [/s/{sub}]/about/{location}',
  'GET [/s/{sub}]/wiki/discussions/{page}',
]

/** Parameters without an effect, of one endpoint or of all that have them, and why. */
export const withoutEffect: Readonly<Record<string, string>> = {
  ...because('Only the records of links have the record of their subsite.', 'sr_detail', ...withoutLinks),
  ...because('What a viewer hides stays in this listing anyway.', 'show', ...withoutLinks, ...ofAllLinks),
  ...Object.fromEntries(['limit', 'after', 'before'].map((param) => [`GET /prefs/{where} ${param}`, 'The whole list is one page.'])),
  api_type: 'A form answers in one shape, whether it is asked for or not.',
  count: 'The number of items already seen tells nothing that the anchors do not: decision 11.',
  'POST [/s/{sub}]/api/upload_sr_img formid': 'The interface calls it ignorable.',
  'DELETE /api/multi/{multipath} expand_srs': 'The answer is empty.',
  'GET /message/{where} mark': 'Reading marks nothing, whatever is asked for.',
  'GET /api/morechildren id': 'It is for the HTML UI only.',
  'GET [/s/{sub}]/comments/{article} title': 'It is no parameter of the interface, but a part of addresses.',
  'GET /subsites/search sort': 'Both orders are by subscribers: decision 83.',
  'GET /s/{sub}/about/edit created': 'It concerns the page of settings, which has no JSON.',
  'GET /s/{sub}/about/edit location': 'It concerns the page of settings, which has no JSON.',
}

/** Tells whether a parameter has no effect on an endpoint of this name. */
export const isWithoutEffect = (name: string, param: string): boolean => `${name} ${param}` in withoutEffect || param in withoutEffect

/** Tells whether a test of its own shows the effect of a parameter of an endpoint. */
export const isShownElsewhere = (name: string, param: string): boolean => `${name} ${param}` in shownElsewhere || param in shownElsewhere

/** Reads by POST: test/http/parameters.test.ts. */
export const reads: ReadonlySet<string> = new Set(['POST /api/search_site_names', 'POST [/s/{sub}]/api/flairselector'])
