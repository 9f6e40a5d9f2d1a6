// snoowrap as scripts of its users call it.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { ruledOut, same, scene, truth, works } from '../report.mjs'

const snoowrap = createRequire(import.meta.url)('snoowrap')
const { rostra } = await import(pathToFileURL(`${scene.adapters}/snoowrap-rostra.mjs`))
const Rostra = rostra(snoowrap, scene.url)
const { content } = scene
const idOf = (fullname) => fullname.split('_')[1]
const link = (n) => idOf(content.links[n])

const siteOf = (name) => {
  const { client_id: clientId, client_secret: clientSecret } = content.accounts[name]
  const site = new Rostra({ userAgent: 'a program', clientId, clientSecret, username: name, password: content.password })
  site.config({ continueAfterRatelimitError: true, warnings: false })
  return site
}
const [ann, bob, cat, dan] = ['ann', 'bob', 'cat', 'dan'].map(siteOf)
const tea = ann.getSubreddit('tea')
const byTitle = (list, title) => list.find((one) => one.title === title)
const submit = async (site, title, text = '') => (await site.getSubreddit('tea').submitSelfpost({ title, text })).name.slice(3)

await works('login by password', async () => same(await ann.getMe().name, 'ann'))

await works('login by code, refresh token', async () => {
  const { client_id: clientId, client_secret: clientSecret, redirect_uri: redirectUri } = content.web
  const page = Rostra.getAuthUrl({ clientId, redirectUri, scope: ['identity', 'read'], state: 'state', permanent: true })
  const led = await fetch(`${scene.browser}?${new URLSearchParams({ as: 'ann', url: page })}`)
  const code = new URL(await led.text()).searchParams.get('code')
  const site = await Rostra.fromAuthCode({ code, userAgent: 'a program', clientId, clientSecret, redirectUri })
  same(await site.getMe().name, 'ann')
  const again = new Rostra({ userAgent: 'a program', clientId, clientSecret, refreshToken: site.refreshToken })
  same(await again.getMe().name, 'ann')
  await again.revokeRefreshToken()
})

await works('login of an app alone', async () => {
  const { client_id: clientId, client_secret: clientSecret } = content.web
  const options = { userAgent: 'a program', clientId, clientSecret, grantType: snoowrap.grantType.CLIENT_CREDENTIALS }
  truth((await (await Rostra.fromApplicationOnlyAuth(options)).getHot('tea')).length > 0, 'nothing to read')
})

await works('login of an installed app', async () => {
  const options = { userAgent: 'a program', clientId: content.installed.client_id, clientSecret: '', deviceId: 'DO_NOT_TRACK_THIS_DEVICE' }
  truth((await (await Rostra.fromApplicationOnlyAuth(options)).getHot('tea')).length > 0, 'nothing to read')
})

await works('me, karma, trophies, preferences', async () => {
  const me = await bob.getMe()
  truth(me.link_karma + me.comment_karma > 0, 'no karma')
  same(
    (await bob.getKarma()).map(({ sr }) => sr.display_name),
    ['tea'],
  )
  same((await bob.getMyTrophies()).trophies.length, 0)
  same((await bob.updatePreferences({ numsites: 40 })).numsites, 40)
  same((await bob.getPreferences()).numsites, 40)
})

await works('listing of more than 250', async () => {
  const links = await tea.getNew({ limit: 100 }).fetchAll()
  truth(links.length >= content.links.length, `${links.length} links`)
  same(new Set(links.map(({ id }) => id)).size, links.length)
})

await works('hot, top, new comments', async () => {
  for (const listing of [await tea.getHot(), await tea.getTop({ time: 'all' }), await ann.getNew(), await tea.getNewComments()])
    truth(listing.length > 0, 'an empty page')
})

await works('submit a text and a link', async () => {
  const text = await ann.getSubmission(await submit(ann, 'A text', '**Soft** & <hard>')).fetch()
  same([text.title, text.selftext, text.author.name, text.subreddit.display_name], ['A text', '**Soft** & <hard>', 'ann', 'tea'])
  const made = await bob.getSubreddit('tea').submitLink({ title: 'A link', url: 'https://example.com/once' })
  same(await ann.getSubmission(made.name.slice(3)).url, 'https://example.com/once')
})

await works('comment tree, expanded by fetchAll', async () => {
  const comments = await ann.getSubmission(idOf(content.thread)).comments.fetchAll()
  truth(comments.length >= 200, `${comments.length} at the top`)
})

const expanded = async () => {
  const thread = await ann.getSubmission(idOf(content.thread)).expandReplies({ limit: Infinity, depth: Infinity })
  const all = (list) => list.flatMap((one) => [one, ...all(one.replies)])
  return all(thread.comments).map(({ body }) => body)
}

await works('comment tree, expanded by expandReplies', async () => {
  const found = await expanded()
  truth(found.length >= content.comments - 4 && found.includes('Reply 10'), `${found.length} of ${content.comments}`)
})

await ruledOut(
  'comment tree: replies more than ten deep, below a comment that was hidden',
  'snoowrap drops the “continue this thread” that comes with hidden comments',
  'no Reply 14',
  async () => truth((await expanded()).includes('Reply 14'), 'no Reply 14'),
)

await works('comment, reply, edit, delete', async () => {
  const id = await submit(ann, 'For comments', 'old')
  const comment = await ann.getSubmission(id).reply('One')
  same([comment.body, comment.author.name], ['One', 'ann'])
  const reply = await bob.getComment(comment.id).reply('Two')
  same(reply.parent_id, comment.name)
  await reply.edit('Three')
  same(await bob.getComment(reply.id).body, 'Three')
  await bob.getComment(reply.id).delete()
  same(await ann.getComment(reply.id).author.name, '[deleted]')
  await ann.getSubmission(id).edit('new')
  same(await ann.getSubmission(id).selftext, 'new')
  await ann.getSubmission(id).delete()
})

await works('vote', async () => {
  await ann.getSubmission(link(5)).upvote()
  same(await ann.getSubmission(link(5)).likes, true)
  truth(
    (await ann.getUser('ann').getUpvotedContent()).some(({ id }) => id === link(5)),
    'not among the upvoted',
  )
  await ann.getSubmission(link(5)).downvote()
})

await works('save, unsave, hide, unhide', async () => {
  const me = ann.getUser('ann')
  await ann.getSubmission(link(6)).save()
  same(
    (await me.getSavedContent()).map(({ id }) => id),
    [link(6)],
  )
  await ann.getSubmission(link(6)).unsave()
  same((await me.getSavedContent()).length, 0)
  await ann.getSubmission(link(6)).hide()
  same(
    (await me.getHiddenContent()).map(({ id }) => id),
    [link(6)],
  )
  await ann.getSubmission(link(6)).unhide()
  same((await ann.getSavedCategories()).length, 0)
})

await works('inbox: unread, mark read, reply', async () => {
  const unread = await ann.getUnreadMessages()
  const message = unread.find(({ subject }) => subject === 'Hello')
  same([message.author.name, message.body], ['bob', 'Come to tea'])
  same((await message.reply('Gladly')).body, 'Gladly')
  await message.markAsRead()
  truth(!(await ann.getUnreadMessages()).some(({ name }) => name === message.name), 'still unread')
  await ann.markMessagesAsUnread([message.name])
  truth(
    (await ann.getUnreadMessages()).some(({ name }) => name === message.name),
    'still read',
  )
})

await works('inbox: compose, sent, conversation, delete', async () => {
  await dan.composeMessage({ to: 'ann', subject: 'A question', text: 'Green?' })
  same((await dan.getSentMessages())[0].dest, 'ann')
  const question = (await ann.getInbox({ filter: 'messages' })).find(({ subject }) => subject === 'A question')
  await question.reply('Black')
  same((await dan.getUnreadMessages())[0].body, 'Black')
  same(
    (await ann.getMessage(question.id).fetch()).replies.map(({ body }) => body),
    ['Black'],
  )
  await question.deleteFromInbox()
  await dan.readAllMessages()
})

await works('moderator mail', async () => {
  await dan.composeMessage({ to: '/r/tea', subject: 'To the house', text: 'May I?' })
  truth(
    (await cat.getSubreddit('tea').getModmail()).some(({ subject }) => subject === 'To the house'),
    'no mail',
  )
  truth((await cat.getModmail()).length > 0, 'no mail of all')
})

await works('friends, block', async () => {
  await ann.getUser('bob').friend({ note: 'knows' })
  same(
    (await ann.getFriends()).flat().map(({ name }) => name),
    ['bob'],
  )
  same((await ann.getUser('bob').getFriendInformation()).note, 'knows')
  await ann.getUser('bob').unfriend()
  const message = (await ann.getInbox()).find(({ subject }) => subject === 'Again')
  await message.blockAuthor()
  same(
    (await ann.getBlockedUsers()).map(({ name }) => name),
    ['bob'],
  )
  await ann.oauthRequest({
    method: 'post',
    uri: 'api/unfriend',
    form: { type: 'enemy', name: 'bob', container: `t2_${(await ann.getMe()).id}` },
  })
})

for (const [name, list, begin, end] of [
  ['ban', 'getBannedUsers', 'banUser', 'unbanUser'],
  ['mute', 'getMutedUsers', 'muteUser', 'unmuteUser'],
  ['contributor', 'getContributors', 'addContributor', 'removeContributor'],
  ['wiki ban', 'getWikibannedUsers', 'wikibanUser', 'unwikibanUser'],
  ['wiki contributor', 'getWikiContributors', 'addWikiContributor', 'removeWikiContributor'],
])
  await works(`${name}: begin, list, end`, async () => {
    const names = async () => (await tea[list]()).map((one) => one.name)
    await tea[begin]({ name: 'dan', banReason: 'rude', duration: 3 })
    truth((await names()).includes('dan'), 'not listed')
    await tea[end]({ name: 'dan' })
    truth(!(await names()).includes('dan'), 'still listed')
  })

await works('moderators: invite, accept, permissions, remove, leave', async () => {
  const permissions = async () => (await tea.getModerators()).find(({ name }) => name === 'dan')?.mod_permissions
  await tea.inviteModerator({ name: 'dan', permissions: ['posts'] })
  await dan.getSubreddit('tea').acceptModeratorInvite()
  same(await permissions(), ['posts'])
  await tea.setModeratorPermissions({ name: 'dan', permissions: ['mail'] })
  same(await permissions(), ['mail'])
  await tea.removeModerator({ name: 'dan' })
  await tea.inviteModerator({ name: 'dan' })
  await tea.revokeModeratorInvite({ name: 'dan' })
  await tea.inviteModerator({ name: 'dan' })
  await dan.getSubreddit('tea').acceptModeratorInvite()
  await dan.getSubreddit('tea').leaveModerator()
  same(await permissions(), undefined)
})

await works('approve, remove, lock, distinguish, sticky', async () => {
  const id = await submit(bob, 'To moderate')
  await ann.getSubmission(id).remove({ spam: true })
  same((await ann.getSubmission(id).fetch()).banned_by.name, 'ann')
  await ann.getSubmission(id).approve()
  same((await ann.getSubmission(id).fetch()).approved_by.name, 'ann')
  await ann.getSubmission(id).lock()
  let refused
  await dan
    .getSubmission(id)
    .reply('Too late')
    .catch((error) => {
      refused = error
    })
  truth(String(refused).includes('THREAD_LOCKED'), `the lock says ${refused}`)
  await ann.getSubmission(id).unlock()
  const comment = await ann.getSubmission(id).reply('From the house')
  await comment.distinguish({ status: true, sticky: true })
  same((await ann.getComment(comment.id).fetch()).distinguished, 'moderator')
  await comment.undistinguish()
  await ann.getSubmission(id).sticky()
  same((await tea.getSticky()).id, id)
  await ann.getSubmission(id).unsticky()
})

await works('nsfw, contest mode, suggested sort, inbox replies', async () => {
  const text = ann.getSubmission(await submit(ann, 'To mark'))
  await text.markNsfw()
  await text.unmarkNsfw()
  await text.enableContestMode()
  await text.disableContestMode()
  await text.setSuggestedSort('new')
  same((await text.refresh()).suggested_sort, 'new')
  await text.disableInboxReplies()
  await text.enableInboxReplies()
})

await works('report, ignore reports', async () => {
  await dan.getSubmission(link(9)).report({ reason: 'Too cold' })
  const reported = await ann.getSubmission(link(9)).fetch()
  same(
    reported.user_reports.map((one) => one.slice(0, 2)),
    [['Too cold', 1]],
  )
  await reported.ignoreReports()
  await reported.unignoreReports()
})

await works('queues: modqueue, reports, spam, edited, unmoderated', async () => {
  const house = cat.getSubreddit('tea')
  const holds = async (listing, fullname) =>
    truth(
      (await listing).some(({ id }) => id === idOf(fullname)),
      `${fullname} is missing`,
    )
  await holds(house.getReports(), content.reported)
  await holds(house.getModqueue(), content.reportedLink)
  await holds(house.getSpam(), content.removed)
  truth((await house.getEdited()).length > 0, 'nothing edited')
  truth((await house.getUnmoderated({ limit: 100 }).fetchAll()).length > 250, 'few are unmoderated')
  same([...new Set((await house.getModqueue({ only: 'comments' })).map(({ constructor }) => constructor._name))], ['Comment'])
})

await works('mod log', async () => {
  const [entry] = await tea.getModerationLog({ type: 'removecomment' })
  same([entry.action, entry.mod, entry.target_author], ['removecomment', 'cat', 'bob'])
  same([...new Set((await tea.getModerationLog({ mods: ['cat'] })).map(({ mod }) => mod))], ['cat'])
})

await works('flair: templates', async () => {
  await tea.createUserFlairTemplate({ text: 'New', cssClass: 'new', textEditable: true })
  const added = (await tea.getUserFlairTemplates()).find(({ flair_text }) => flair_text === 'New')
  await tea.deleteFlairTemplate({ flair_template_id: added.flair_template_id })
  await tea.createLinkFlairTemplate({ text: 'Black', cssClass: 'black' })
  truth((await tea.getLinkFlairTemplates(content.links[0].replace('t5_', 't3_'))).length > 0, 'no templates for links')
  await tea.configureFlair({
    userFlairEnabled: true,
    userFlairPosition: 'left',
    userFlairSelfAssignEnabled: true,
    linkFlairPosition: 'left',
    linkFlairSelfAssignEnabled: true,
  })
})

await works('flair: set, list, select, hide', async () => {
  await ann.getUser('bob').assignFlair({ subredditName: 'tea', text: 'Regular', cssClass: 'regular' })
  same((await tea.getUserFlair('bob')).flair_text, 'Regular')
  await tea.setMultipleUserFlairs([{ name: 'dan', text: 'Coffee', cssClass: 'brown' }])
  truth(
    (await tea.getUserFlairList()).some(({ user, flair_text }) => user.name === 'dan' && flair_text === 'Coffee'),
    'not listed',
  )
  await tea.deleteUserFlair('dan')
  const [choice] = await tea.getUserFlairTemplates()
  await tea.selectMyFlair({ flair_template_id: choice.flair_template_id, text: 'Sip' })
  same((await tea.getMyFlair()).flair_text, 'Sip')
  await tea.hideMyFlair()
  await tea.showMyFlair()
  const mine = ann.getSubmission(await submit(ann, 'With flair'))
  await mine.assignFlair({ text: 'Mine', cssClass: 'mine' })
  same((await mine.refresh()).link_flair_text, 'Mine')
})

await works('wiki: read, edit, revisions, revert, hide', async () => {
  same(await tea.getWikiPage('index').content_md, 'Pour slowly.')
  const page = tea.getWikiPage('brewing')
  for (const text of ['One', 'Two']) await page.edit({ text, reason: text })
  const revisions = await page.getRevisions()
  same(
    revisions.map(({ reason }) => reason),
    ['Two', 'One'],
  )
  await page.revert({ id: revisions[1].id })
  same(await tea.getWikiPage('brewing').content_md, 'One')
  await page.hideRevision({ id: revisions[0].id })
  const titles = (await tea.getWikiPages()).map(({ title }) => title)
  truth(titles.includes('brewing') && titles.includes('index'), titles)
  truth((await tea.getWikiRevisions()).length >= 4, 'few revisions')
  await page.getDiscussions()
})

await works('wiki: settings, editors', async () => {
  const page = tea.getWikiPage('index')
  await page.addEditor({ name: 'bob' })
  same(
    (await page.getSettings()).editors.map(({ name }) => name),
    ['bob'],
  )
  await page.editSettings({ listed: false, permissionLevel: 1 })
  same((await page.getSettings()).permlevel, 1)
  await page.removeEditor({ name: 'bob' })
})

await works('subreddit: create, about, settings', async () => {
  await ann.createSubreddit({ name: 'herbs', title: 'Herbs', publicDescription: 'Fresh', wikimode: 'disabled' })
  same(await ann.getSubreddit('herbs').title, 'Herbs')
  await ann.getSubreddit('herbs').editSettings({ title: 'All herbs', public_description: 'Fresh', description: 'Mint' })
  same((await ann.getSubreddit('herbs').getSettings()).title, 'All herbs')
  same(await tea.getSubmitText(), '')
  same((await tea.getRules()).rules, [])
})

await works('subscribe, my subreddits, search for subreddits', async () => {
  await dan.getSubreddit('tea').subscribe()
  truth(
    (await dan.getSubscriptions()).some((one) => one.display_name === 'tea'),
    'not subscribed',
  )
  await dan.getSubreddit('tea').unsubscribe()
  same(
    (await cat.getModeratedSubreddits()).map((one) => one.display_name),
    ['tea'],
  )
  truth(
    (await bob.getContributorSubreddits()).some((one) => one.display_name === 'tea'),
    'no contributor',
  )
  truth(
    (await ann.searchSubreddits({ query: 'tea' })).some((one) => one.display_name === 'tea'),
    'not found',
  )
  same(await ann.searchSubredditNames({ query: 'te' }), ['tea'])
  await ann.searchSubredditTopics({ query: 'tea' })
  for (const list of ['getNewSubreddits', 'getPopularSubreddits']) truth((await ann[list]()).length > 0, 'an empty page')
  await ann.getDefaultSubreddits()
  await tea.getRecommendedSubreddits({})
})

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

await works('stylesheet: update, read, upload images', async () => {
  const { writeFile } = await import('node:fs/promises')
  await writeFile('leaf.png', png)
  await tea.uploadStylesheetImage({ name: 'leaf', file: 'leaf.png' })
  await tea.updateStylesheet({ css: '.leaf { background-image: url(%%leaf%%) }', reason: 'leaves' })
  truth((await tea.getStylesheet()).includes('.leaf'), 'not the stylesheet')
  await tea.uploadHeaderImage({ file: 'leaf.png' })
  await tea.deleteHeader()
  await tea.updateStylesheet({ css: '' })
  await tea.deleteImage({ imageName: 'leaf' })
})

await works('following new comments', async () => {
  const [last] = await tea.getNewComments({ limit: 1 })
  await bob.getSubmission(idOf(content.thread)).reply('Fresh')
  same(
    (await tea.getNewComments({ before: last.name })).map(({ body }) => body),
    ['Fresh'],
  )
})

await works('multis: create, add, change, copy, rename, delete', async () => {
  const multi = await ann.createMultireddit({ name: 'drinks', description: 'Hot', subreddits: ['tea'], visibility: 'public' })
  same(
    multi.subreddits.map((one) => one.display_name),
    ['tea'],
  )
  await multi.removeSubreddit('tea')
  await multi.addSubreddit('tea')
  await multi.edit({ description: 'Warm' })
  const copied = await multi.copy({ newName: 'copied' })
  const renamed = await copied.rename({ newName: 'renamed' })
  same((await ann.getMyMultireddits()).map(({ name }) => name).toSorted(), ['drinks', 'renamed'])
  same(
    (await bob.getUser('ann').getMultireddits()).map(({ name }) => name),
    ['drinks'],
  )
  await renamed.delete()
  await multi.delete()
})

await works('search', async () => {
  truth(byTitle(await tea.search({ query: 'water', time: 'all', sort: 'relevance' }), 'On water'), 'not found')
  const found = await ann.search({ query: 'leaf', sort: 'new', limit: 100 }).fetchAll()
  truth(found.length > 200, `${found.length} found`)
})

await works('content by ids, duplicates, random', async () => {
  const names = [1, 0].map((n) => `t3_${link(n)}`)
  same(
    (await ann.getContentByIds(names)).map(({ name }) => name),
    names,
  )
  await ann.getSubmission(link(1)).getDuplicates()
  truth((await tea.getRandomSubmission()).title, 'nothing at random')
})

await works('user pages', async () => {
  const user = ann.getUser('bob')
  truth((await user.getSubmissions({ limit: 100 }).fetchAll()).length >= 250, 'few links')
  truth((await user.getComments()).length > 0 && (await user.getOverview()).length > 0, 'an empty page')
  truth((await user.fetch()).link_karma >= 1, 'no karma')
  same((await ann.getUser('bob').getTrophies()).trophies.length, 0)
})

await works('captcha, names, scopes', async () => {
  same(await ann.checkCaptchaRequirement(), false)
  truth(await ann.getNewCaptchaIdentifier(), 'no captcha')
  same([await ann.checkUsernameAvailability('nobody-yet'), await ann.checkUsernameAvailability('bob')], [true, false])
  truth((await ann.getOauthScopeList()).identity, 'no scopes')
})

await ruledOut('crossposts', 'the interface knows links and texts only', 'INVALID', () =>
  tea.submitCrosspost({ title: 'x', originalPost: link(1) }),
)
await ruledOut('spoilers', 'the interface has none', '404', () => ann.getSubmission(link(1)).markSpoiler())
await ruledOut('live threads', 'the interface has none', '404', () => ann.getStickiedLivethread())
await ruledOut('modern moderator mail', 'moderator mail is that of `/message/moderator`', '404', () => ann.getNewModmailSubreddits())
await ruledOut('rising', 'the interface has no such listing', '404', () => tea.getRising())
