/** The OAuth scopes, in words for the consent page and `/api/v1/scopes`. */
export const scopes = {
  identity: 'See your username, sign-up date and a summary of your account.',
  account: 'Change your preferences; not your e-mail or password.',
  mysubsites: 'See the subsites you subscribe to, contribute to and moderate, your karma in them, and your friends.',
  read: 'Read content, listings, multis, moderation logs and the queues of subsites you moderate.',
  flair: 'Choose your own flair and flair for your links.',
  modflair: 'Manage flair in subsites you moderate.',
  csites: 'Spend your gift credits on others.',
  edit: 'Edit and delete your links and comments.',
  submit: 'Submit links and comments.',
  privatemessages: 'Read your inbox and send private messages.',
  report: 'Report content and hide links.',
  save: 'Save and unsave content.',
  modposts: 'Approve, remove, lock, mark, distinguish and sticky content in subsites you moderate.',
  vote: 'Cast and change your votes.',
  modconfig: 'Change settings, sidebar, rules, stylesheet and images of subsites you moderate.',
  modcontributors: 'Manage contributors, bans and mutes in subsites you moderate.',
  modothers: 'Invite and remove other moderators.',
  modwiki: 'Manage wiki pages in subsites you moderate.',
  modself: 'Accept invitations to moderate and give up roles of your own.',
  subscribe: 'Manage your subscriptions, multis and friends.',
  wikiread: 'Read wiki pages.',
  wikiedit: 'Edit wiki pages.',
  history:
    'See what you did: the things you voted on, saved and hid, the listings on your profile, and your part of the history of the site.',
} as const

export type Scope = keyof typeof scopes

export const isScope = (name: string): name is Scope => Object.hasOwn(scopes, name)
