import type { AnyEndpoint } from '../contract/endpoint.ts'
import { ownExport } from './account/export.ts'
import { ownEndpoints } from './account/me.ts'
import { accountLifeEndpoints } from './account/password-deletion-suspension.ts'
import { preferenceEndpoints } from './account/preferences.ts'
import { privateFeeds } from './account/private-feeds.ts'
import { accessEndpoints } from './account/sessions-and-grants.ts'
import { trophyEndpoints } from './account/trophies.ts'
import { accountEndpoints } from './administration/accounts.ts'
import { statusEndpoints } from './administration/status.ts'
import { appEndpoints } from './auth/apps.ts'
import { consentEndpoints } from './auth/authorize.ts'
import { loginEndpoints } from './auth/login.ts'
import { tokenEndpoints } from './auth/oauth.ts'
import { describeScopes } from './auth/scopes.ts'
import { captchaEndpoints } from './captcha/captcha.ts'
import { aboutFlair } from './flair/about.ts'
import { flairCsv } from './flair/csv.ts'
import { flairList } from './flair/list.ts'
import { chosenFlair } from './flair/select.ts'
import { moderatedFlair } from './flair/set-and-delete.ts'
import { flairTemplates } from './flair/templates.ts'
import { goldEndpoints } from './gold.ts'
import { historyEntries } from './history/entries.ts'
import { historyEvents } from './history/events.ts'
import { historyProof } from './history/proofs.ts'
import { historySchemas } from './history/schemas.ts'
import { historyTexts } from './history/texts.ts'
import { historyOfThing } from './history/things.ts'
import { historyTlogProofs } from './history/tlog-proofs.ts'
import { historyTrees } from './history/trees.ts'
import { commentEndpoints } from './links-and-comments/comment-edit-delete.ts'
import { linkOptionEndpoints } from './links-and-comments/link-options.ts'
import { lookupEndpoints } from './links-and-comments/lookups.ts'
import { shelfEndpoints } from './links-and-comments/save-and-hide.ts'
import { linkEndpoints } from './links-and-comments/submit-and-vote.ts'
import { submitForm } from './links-and-comments/submit-form.ts'
import { storeVisits } from './links-and-comments/visits.ts'
import { thingListingEndpoints } from './listings/comments-and-gilded.ts'
import { linksOfDomain } from './listings/domains.ts'
import { duplicates } from './listings/duplicates.ts'
import { linkListingEndpoints } from './listings/links.ts'
import { random } from './listings/random.ts'
import { search } from './listings/search.ts'
import { threadEndpoints } from './listings/threads.ts'
import { blockEndpoints } from './messages/blocks.ts'
import { collapseAndDeleteEndpoints } from './messages/collapse-and-delete.ts'
import { composeMessage } from './messages/compose.ts'
import { composeForm } from './messages/compose-form.ts'
import { inboxEndpoints } from './messages/inbox.ts'
import { readMarkEndpoints } from './messages/read-and-unread.ts'
import { acceptModeratorInvite, leavingEndpoints } from './moderation/accept-and-leave.ts'
import { distinguish } from './moderation/distinguish.ts'
import { erasureEndpoints } from './moderation/erasures.ts'
import { modLog } from './moderation/log.ts'
import { mutingEndpoints } from './moderation/message-muting.ts'
import { modQueue } from './moderation/queues.ts'
import { actEndpoints } from './moderation/remove-approve-lock-sticky.ts'
import { reportForm } from './moderation/report-form.ts'
import { reportEndpoints } from './moderation/reports.ts'
import { siteLogEndpoints } from './moderation/site-log.ts'
import { multiWriteEndpoints } from './multis/create-copy-rename.ts'
import { multiPartEndpoints } from './multis/description-and-subsites.ts'
import { multiReadEndpoints } from './multis/multis.ts'
import { serviceEndpoints } from './service.ts'
import { createForm } from './subsites/create-form.ts'
import { imageEndpoints } from './subsites/images.ts'
import { directoryEndpoints } from './subsites/lists-and-about.ts'
import { memberEndpoints } from './subsites/member-lists.ts'
import { muteEndpoints } from './subsites/mutes.ts'
import { ruleEndpoints } from './subsites/rules.ts'
import { subsiteSearchEndpoints } from './subsites/search.ts'
import { searchNames } from './subsites/search-names.ts'
import { sidebarEndpoints, sticky } from './subsites/sidebar-and-sticky.ts'
import { settingsEndpoints } from './subsites/site-admin.ts'
import { stylesheetEndpoints } from './subsites/stylesheet.ts'
import { subscribeTo } from './subsites/subscribe.ts'
import { subsiteTraffic } from './subsites/traffic.ts'
import { relationEndpoints } from './users/friend-unfriend-permissions.ts'
import { friendEndpoints } from './users/own-friends.ts'
import { userPage } from './users/pages.ts'
import { profileEndpoints } from './users/users.ts'
import { wikiDiscussions } from './wiki/discussions.ts'
import { editWikiPage } from './wiki/edit.ts'
import { wikiReads } from './wiki/read.ts'
import { wikiHistory } from './wiki/revisions.ts'
import { wikiSettings } from './wiki/settings.ts'

/** All endpoints of the service. */
export const endpoints: readonly AnyEndpoint[] = [
  ...loginEndpoints,
  ...appEndpoints,
  ...consentEndpoints,
  ...tokenEndpoints,
  ...linkEndpoints,
  submitForm,
  ...linkOptionEndpoints,
  ...commentEndpoints,
  ...lookupEndpoints,
  ...shelfEndpoints,
  storeVisits,
  ...moderatedFlair,
  aboutFlair,
  flairCsv,
  flairList,
  ...flairTemplates,
  ...chosenFlair,
  ...linkListingEndpoints,
  linksOfDomain,
  duplicates,
  random,
  search,
  ...threadEndpoints,
  ...thingListingEndpoints,
  composeForm,
  composeMessage,
  ...readMarkEndpoints,
  ...collapseAndDeleteEndpoints,
  ...inboxEndpoints,
  ...blockEndpoints,
  ...actEndpoints,
  acceptModeratorInvite,
  distinguish,
  reportForm,
  ...reportEndpoints,
  ...mutingEndpoints,
  modLog,
  historyEvents,
  historyOfThing,
  ...historyTrees,
  historyProof,
  ...historyEntries,
  ...historyTexts,
  historyTlogProofs,
  ...historySchemas,
  modQueue,
  ...siteLogEndpoints,
  ...statusEndpoints,
  ...accountEndpoints,
  ...erasureEndpoints,
  ...directoryEndpoints,
  searchNames,
  sticky,
  ...settingsEndpoints,
  createForm,
  subscribeTo,
  subsiteTraffic,
  ...memberEndpoints,
  ...muteEndpoints,
  ...ruleEndpoints,
  ...imageEndpoints,
  ...subsiteSearchEndpoints,
  ...stylesheetEndpoints,
  ...sidebarEndpoints,
  ...multiReadEndpoints,
  ...multiWriteEndpoints,
  ...multiPartEndpoints,
  ...profileEndpoints,
  userPage,
  ...relationEndpoints,
  ...leavingEndpoints,
  ...friendEndpoints,
  editWikiPage,
  ...wikiReads,
  ...wikiHistory,
  ...wikiSettings,
  wikiDiscussions,
  ...ownEndpoints,
  describeScopes,
  ...preferenceEndpoints,
  ...trophyEndpoints,
  ...accountLifeEndpoints,
  ...accessEndpoints,
  privateFeeds,
  ownExport,
  ...captchaEndpoints,
  ...goldEndpoints,
  ...serviceEndpoints(() => endpoints),
]
