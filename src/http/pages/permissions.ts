/** The permissions of moderators, in words and in the order of the log. */
export const permissionWords = {
  access: 'members and bans',
  config: 'settings and rules',
  flair: 'flair',
  mail: 'mail',
  posts: 'posts and comments',
  wiki: 'the wiki',
}

export type Permission = keyof typeof permissionWords | 'all'
