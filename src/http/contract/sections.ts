/** The sections of the interface with their purposes, in the order in which a newcomer needs them. */
export const sections = {
  'Login and apps': 'Register an account, log in, register an app and get tokens for it; the sessions and apps that have access.',
  Account: 'Your own account: who you are, preferences, friends and blocked accounts, trophies, feeds, export, password, deletion.',
  'Listings of links and comments': 'Read: the front page, the links of subsites, searches, and the comments of a link.',
  'Links and comments': 'Submit, comment, edit, vote, save, hide and report; look things up by their names.',
  'Private messages': 'Your inbox, messages between accounts, and the mail of moderators.',
  Subsites: 'Find, subscribe to, create and set up subsites; their rules, images, stylesheet and members.',
  Users: 'What other accounts posted; friends; who is banned, muted, an approved submitter or a moderator.',
  Multis: 'Named collections of subsites that are read as one.',
  Flair: 'Short labels on links and on the names of users.',
  Wiki: 'The pages of a subsite that its users write together, with their revisions.',
  Moderation: 'Queues, the log, and decisions about links, comments and messages; for moderators.',
  History: 'The log of everything that happened, as far as you may read it, for those who follow or analyse it.',
  Gold: 'Paid extras, given to a link, a comment or an account.',
  Captcha: 'Images that show that a human sends a request.',
  Administration: 'What only the admins of the service may do.',
  Miscellaneous: 'What belongs to no other section.',
  Service: 'The service itself: its health, its metrics, and this document.',
} as const

export type SectionName = keyof typeof sections
