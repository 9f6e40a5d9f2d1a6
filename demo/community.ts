import { base, en, Faker } from '@faker-js/faker'
import { speech, type Topic, topics } from './speech.ts'

/*
 * A believable community, the same for the same seed: a few subsites have most of the links, a few links most of the comments, a few
 * people write and vote most.
 */

export type SubsitePlan = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly type: 'public' | 'restricted'
  readonly founder: number
  readonly invited: readonly number[]
}

export type CommentPlan = {
  readonly author: number
  /** Index of an earlier comment of the same link, or undefined for top level. */
  readonly parent: number | undefined
  readonly text: string
}

export type LinkPlan = {
  readonly subsite: number
  readonly author: number
  readonly title: string
  readonly url: string | undefined
  readonly text: string | undefined
  readonly comments: readonly CommentPlan[]
  /** The voters, with their directions, on the link (`undefined`) or on one of its comments. */
  readonly votes: readonly { readonly voter: number; readonly dir: '1' | '-1' | '11'; readonly comment: number | undefined }[]
  readonly act: 'lock' | 'remove' | 'spam' | 'remove and approve' | 'sticky' | undefined
}

export type MessagePlan = { readonly from: number; readonly to: number; readonly subject: string; readonly text: string }

export type Community = {
  /** The names of all people, in the order in which they join. */
  readonly people: readonly string[]
  /**
   * Returns the number of people who have joined when the link with this index is posted: some before the first, all before the second
   * half.
   */
  readonly joined: (link: number) => number
  readonly subsites: readonly SubsitePlan[]
  readonly link: (index: number) => LinkPlan
  readonly messages: readonly MessagePlan[]
}

/** The share of links to an article that others link to as well, in this subsite or another. */
const SHARED_LINK_SHARE = 0.12
const LINKS_PER_SHARED_ARTICLE = 60

export const plan = ({ links, seed }: { readonly links: number; readonly seed: number }): Community => {
  const faker = new Faker({ locale: [en, base], seed })
  const { linkTitle, textTitle, sentences, reply, subject, description, address } = speech(faker)
  const chance = (probability: number) => faker.number.float() < probability
  /** Picks one of `count` things by its index. The first are picked far more often. */
  const popular = (count: number) => Math.min(count - 1, Math.floor(count * faker.number.float() ** 3))
  /** Draws a number from a Pareto distribution with the given mean: mostly small, now and then very large. */
  const tail = (mean: number, most: number) => Math.min(most, Math.floor((mean / 3) * (1 - faker.number.float()) ** (-1 / 1.5)))

  const peopleCount = Math.max(12, Math.min(400, Math.round(Math.sqrt(links) * 4)))
  const subsiteCount = Math.max(3, Math.min(topics.length, Math.round(Math.sqrt(links) / 2)))
  const names = new Set<string>()
  while (names.size < peopleCount) {
    const name = faker.internet
      .username()
      .replace(/[^A-Za-z0-9_-]/g, '_')
      .slice(0, 16)
    if (name.length >= 3 && ![...names].some((other) => other.toLowerCase() === name.toLowerCase())) names.add(name)
  }
  const people = [...names]
  const first = Math.min(people.length, Math.max(12, Math.round(people.length / 3)))
  const joined = (link: number) => Math.min(people.length, first + Math.floor(((people.length - first) * 2 * link) / links))

  const subsites = topics.slice(0, subsiteCount).map((topic): SubsitePlan => {
    const founder = popular(first)
    const invited = [...new Set(Array.from({ length: faker.number.int({ min: 0, max: 3 }) }, () => popular(first)))]
    return {
      name: topic.name,
      title: `All about ${topic.name}`,
      description: description(topic),
      type: chance(0.06) ? 'restricted' : 'public',
      founder,
      invited: invited.filter((person) => person !== founder),
    }
  })

  const topicOf = (subsite: number) => topics[subsite % topics.length] as Topic
  const paragraph = (topic: Topic) => {
    const text = sentences(topic, 1 + tail(1, 6))
    if (chance(0.08)) return `> ${sentences(topic, 1)}\n\n${text}`
    if (chance(0.06)) return `${text} See [this](${address(linkTitle(topic), 'again')}).`
    return chance(0.1) ? text.replace(/\w{6,}/, '*$&*') : text
  }
  /** Most replies are short. */
  const comment = (topic: Topic, isReply: boolean) => (chance(isReply ? 0.6 : 0.2) ? reply(topic) : paragraph(topic))

  /** The articles that several people link to. */
  const shared = Array.from({ length: Math.max(2, Math.ceil(links / LINKS_PER_SHARED_ARTICLE)) }, (_, index) => {
    const title = linkTitle(topicOf(popular(subsites.length)))
    return { title, url: address(title, `${seed}-s${index}`) }
  })

  const link = (index: number): LinkPlan => {
    faker.seed(seed * 1_000_003 + index)
    const members = joined(index)
    const subsite = popular(subsites.length)
    const topic = topicOf(subsite)
    const isSelf = chance(0.3)
    const comments: CommentPlan[] = []
    for (let count = tail(5, 2_000); comments.length < count; ) {
      const nested = comments.length > 0 && chance(0.6)
      const parent = nested ? Math.max(0, comments.length - 1 - tail(3, comments.length)) : undefined
      comments.push({ author: popular(members), parent, text: comment(topic, nested) })
    }
    const votes = Array.from({ length: tail(18, members) }, () => ({
      voter: popular(members),
      dir: chance(0.04) ? ('11' as const) : chance(0.72) ? ('1' as const) : ('-1' as const),
      comment: comments.length > 0 && chance(0.4) ? popular(comments.length) : undefined,
    }))
    const act = faker.helpers.weightedArrayElement([
      { weight: 930, value: undefined },
      { weight: 12, value: 'lock' as const },
      { weight: 25, value: 'remove' as const },
      { weight: 10, value: 'spam' as const },
      { weight: 15, value: 'remove and approve' as const },
      { weight: 8, value: 'sticky' as const },
    ])
    const title = isSelf ? textTitle(topic) : linkTitle(topic)
    const article = chance(SHARED_LINK_SHARE) ? faker.helpers.arrayElement(shared) : { title, url: address(title, `${seed}-${index}`) }
    return {
      subsite,
      author: popular(members),
      title: isSelf ? title : article.title,
      url: isSelf ? undefined : article.url,
      text: isSelf ? Array.from({ length: faker.number.int({ min: 1, max: 4 }) }, () => paragraph(topic)).join('\n\n') : undefined,
      comments,
      votes,
      act,
    }
  }

  const messages = Array.from({ length: Math.ceil(links / 25) }, () => {
    const from = popular(people.length)
    const to = (from + 1 + popular(people.length - 1)) % people.length
    const topic = topicOf(popular(subsites.length))
    return { from, to, subject: subject(topic), text: paragraph(topic) }
  })

  return { people, joined, subsites, link, messages }
}
