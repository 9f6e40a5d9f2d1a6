import { appMade } from './account/app-made.ts'
import { appsPage } from './account/apps.ts'
import { dataPage } from './account/data.ts'
import { accountDeleted, accountErased } from './account/end.ts'
import { feedsPage } from './account/feeds.ts'
import { multisPage } from './account/multis.ts'
import { optionsPage } from './account/options.ts'
import { peoplePage } from './account/people.ts'
import { sessionsPage } from './account/sessions.ts'
import { accountsPage } from './administration/accounts.ts'
import { siteLogPage } from './administration/log.ts'
import { statusPage } from './administration/status.ts'
import { flairPage } from './flair/flair.ts'
import { linesApplied } from './flair/lines-applied.ts'
import { eventsPage } from './history/events.ts'
import { overviewPage } from './history/overview.ts'
import { thingHistoryPage } from './history/things.ts'
import { reportPage } from './links-and-comments/report.ts'
import { submitPage } from './links-and-comments/submit.ts'
import { commentAndGildedPages } from './listings/comments-and-gilded.ts'
import { domainPage } from './listings/domains.ts'
import { duplicatesPage } from './listings/duplicates.ts'
import { linkPages } from './listings/links.ts'
import { moreCommentsPage } from './listings/more-comments.ts'
import { searchPages } from './listings/search.ts'
import { threadPage } from './listings/threads.ts'
import { composePage } from './messages/compose.ts'
import { conversationPage, inboxPages, modmailPage, reportedPage } from './messages/inbox.ts'
import { logPage } from './moderation/log.ts'
import { queuePage } from './moderation/queues.ts'
import type { AnyPage, FormAnswer } from './page.ts'
import { createPage } from './subsites/create.ts'
import { subsiteListPages } from './subsites/lists.ts'
import { lookPage } from './subsites/look.ts'
import { membersPage } from './subsites/members.ts'
import { subsiteTextPages } from './subsites/rules.ts'
import { settingsPage } from './subsites/settings.ts'
import { trafficPage } from './subsites/traffic.ts'
import { userPage } from './users/pages.ts'
import { wikiPages } from './wiki/read.ts'
import { revisionPages } from './wiki/revisions.ts'
import { wikiSettingsPage } from './wiki/settings.ts'

/** Every page. */
export const allPages: readonly AnyPage[] = [
  ...linkPages,
  threadPage,
  moreCommentsPage,
  ...commentAndGildedPages,
  domainPage,
  duplicatesPage,
  ...searchPages,
  userPage,
  ...subsiteListPages,
  createPage,
  ...subsiteTextPages,
  membersPage,
  settingsPage,
  flairPage,
  trafficPage,
  lookPage,
  ...wikiPages,
  ...revisionPages,
  wikiSettingsPage,
  logPage,
  queuePage,
  submitPage,
  reportPage,
  composePage,
  ...inboxPages,
  conversationPage,
  modmailPage,
  reportedPage,
  optionsPage,
  dataPage,
  sessionsPage,
  appsPage,
  feedsPage,
  peoplePage,
  multisPage,
  statusPage,
  accountsPage,
  siteLogPage,
  overviewPage,
  eventsPage,
  thingHistoryPage,
]

/** Every page of an answer that is shown only once. */
export const formAnswers: readonly FormAnswer<never>[] = [appMade, linesApplied, accountDeleted, accountErased]

/** The endpoints whose forms may ask to show their page again with the answer. */
export const shownAgain: readonly string[] = ['POST [/s/{sub}]/api/subsite_stylesheet']
