import { base, en, Faker } from '@faker-js/faker'
import { speech, type Topic, topics } from './speech.ts'

/*
 * Plans the acts of subsites and people beside posting, the same for the same seed. Each plan has a small number of acts, however many
 * links there are.
 */

type TemplatePlan = { readonly type: 'USER_FLAIR' | 'LINK_FLAIR'; readonly text: string; readonly css: string; readonly editable: boolean }
type RevisionPlan = { readonly author: number; readonly text: string; readonly reason: string }
type Decision = 'approve' | 'remove' | 'remove as spam' | 'ignore reports' | 'leave'

/** A place among the existing things, from 0 to 1: the plan is made before the things are known. */
type Place = number

export type SubsiteLife = {
  readonly templates: readonly TemplatePlan[]
  /** The people who choose their own flair. `template` is an index among those for users. */
  readonly wearers: readonly { readonly person: number; readonly template: number }[]
  /** Link flair that a moderator gives; `template` is an index among those for links. */
  readonly labels: readonly { readonly thing: Place; readonly template: number }[]
  readonly rules: readonly { readonly name: string; readonly kind: 'link' | 'comment' | 'all'; readonly description: string }[]
  readonly pages: readonly { readonly name: string; readonly revisions: readonly RevisionPlan[] }[]
  /** A colour of CSS: `#a1b2c3`. */
  readonly color: string
  readonly letters: readonly { readonly from: number; readonly subject: string; readonly text: string; readonly reply: string }[]
  readonly reports: readonly { readonly reporter: number; readonly thing: Place; readonly reason: string }[]
  /** The decisions of moderators on the things in their queues, in this order, over and over. */
  readonly decisions: readonly Decision[]
  readonly answers: readonly string[]
}

export type PersonLife = {
  readonly multi: { readonly name: string; readonly subsites: readonly number[]; readonly description: string; readonly isPublic: boolean }
  readonly saved: readonly { readonly thing: Place; readonly category: string }[]
  readonly hidden: Place | undefined
  readonly muted: number | undefined
  readonly blocksLatestSender: boolean
  readonly preferences: Readonly<Record<string, unknown>>
  readonly gilded: readonly Place[]
}

const categories = ['', '', 'to read', 'recipes', 'for later', 'funny']
const pageNames = ['index', 'faq', 'glossary', 'reading-list', 'history', 'guides/beginners']
const rulesByName = {
  'Stay on topic': 'What belongs elsewhere is better asked there.',
  'Be kind': 'Discuss what people say, not who they are.',
  'No advertising': 'Show your own work now and then, and say that it is yours.',
  'Name your sources': 'Say where a picture or a claim comes from.',
  'No reposts within a month': 'Search before you post.',
  'Plain titles': 'A title says what the link is about.',
}
const ruleNames = Object.keys(rulesByName) as (keyof typeof rulesByName)[]
const reasons = ['off topic', 'an advertisement', 'rude to a beginner', 'posted here last week']
const edits = ['clearer words', 'a link that was missing', 'a new section', 'spelling', 'answers a question that comes up each week']
const headings = [
  'Where to begin',
  'What you need',
  'Common mistakes',
  'Questions that come up often',
  'Further reading',
  'Where to buy it',
]
const userFlairs = ['beginner', 'enthusiast', 'expert', 'old hand', 'curious']
const linkFlairs = ['question', 'discussion', 'news', 'guide', 'show and tell']

export const lives = (size: { readonly seed: number; readonly people: number; readonly subsites: number }) => {
  const faker = new Faker({ locale: [en, base] })
  const { sentences, subject, letter, reply, answer } = speech(faker)
  const chance = (probability: number) => faker.number.float() < probability
  const topicOf = (subsite: number) => topics[subsite % topics.length] as Topic
  const anybody = () => faker.number.int(size.people - 1)
  const place = (): Place => faker.number.float({ max: 0.999 })
  const makeSeveral = <T>(least: number, most: number, make: (index: number) => T): readonly T[] =>
    Array.from({ length: faker.number.int({ min: least, max: most }) }, (_, index) => make(index))
  const template = (type: TemplatePlan['type'], text: string): TemplatePlan => ({
    type,
    text,
    css: text.replaceAll(' ', '-'),
    editable: chance(0.3),
  })

  const page = (name: string, topic: Topic) => {
    const lines = faker.helpers.arrayElements(headings, { min: 3, max: 6 }).map((heading) => `## ${heading}\n\n${sentences(topic, 3)}`)
    const revisions = makeSeveral(2, 4, (index) => ({
      author: anybody(),
      text: [`# ${name}`, ...lines.slice(0, 2 + index), sentences(topic, 1)].join('\n\n'),
      reason: index === 0 ? 'a beginning' : faker.helpers.arrayElement(edits),
    }))
    return { name, revisions }
  }

  /** Plans the subsite with this index. */
  const subsite = (index: number): SubsiteLife => {
    faker.seed([size.seed, 1, index])
    const topic = topicOf(index)
    const users = faker.helpers.arrayElements(userFlairs, { min: 2, max: 4 })
    const links = faker.helpers.arrayElements(linkFlairs, { min: 2, max: 4 })
    const rules = faker.helpers.arrayElements(ruleNames, { min: 2, max: 4 })
    return {
      templates: [...users.map((text) => template('USER_FLAIR', text)), ...links.map((text) => template('LINK_FLAIR', text))],
      wearers: makeSeveral(4, 8, () => ({ person: anybody(), template: faker.number.int(users.length - 1) })),
      labels: makeSeveral(3, 6, () => ({ thing: place(), template: faker.number.int(links.length - 1) })),
      rules: rules.map((name) => ({
        name,
        kind: faker.helpers.arrayElement(['link', 'comment', 'all'] as const),
        description: rulesByName[name],
      })),
      pages: faker.helpers.arrayElements(pageNames, { min: 2, max: 4 }).map((name) => page(name, topic)),
      color: faker.color.rgb(),
      letters: makeSeveral(1, 3, () => ({
        from: anybody(),
        subject: subject(topic),
        text: letter(topic),
        reply: reply(topic),
      })),
      reports: makeSeveral(4, 10, () => ({
        reporter: anybody(),
        thing: place(),
        reason: chance(0.7) ? faker.helpers.arrayElement(rules) : faker.helpers.arrayElement(reasons),
      })),
      decisions: makeSeveral(5, 9, () =>
        faker.helpers.arrayElement(['approve', 'approve', 'remove', 'remove as spam', 'ignore reports', 'leave'] as const),
      ),
      answers: makeSeveral(2, 4, answer),
    }
  }

  /** Plans the person with this index. */
  const person = (index: number): PersonLife => {
    faker.seed([size.seed, 2, index])
    const all = Array.from({ length: size.subsites }, (_, subsite) => subsite)
    return {
      multi: {
        name: faker.helpers.arrayElement(['daily', 'weekend', 'learning', 'hobbies']),
        subsites: faker.helpers.arrayElements(all, { min: 2, max: 5 }),
        description: 'What I read with breakfast.',
        isPublic: chance(0.5),
      },
      saved: makeSeveral(0, 3, () => ({ thing: place(), category: faker.helpers.arrayElement(categories) })),
      hidden: chance(0.4) ? place() : undefined,
      muted: chance(0.3) ? faker.helpers.arrayElement(all) : undefined,
      blocksLatestSender: chance(0.15),
      preferences: {
        numsites: faker.helpers.arrayElement([10, 25, 50, 100]),
        default_comment_sort: faker.helpers.arrayElement(['fun', 'new', 'top', 'insightful']),
        public_votes: chance(0.5),
        monitor_mentions: chance(0.8),
      },
      gilded: makeSeveral(1, 3, place),
    }
  }

  return { subsite, person }
}
