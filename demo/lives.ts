import { base, en, Faker } from '@faker-js/faker'

/*
 * What subsites and people do beside posting, the same for the same seed. Each plan holds a small number of acts, however many links
 * there are.
 */

type TemplatePlan = { readonly type: 'USER_FLAIR' | 'LINK_FLAIR'; readonly text: string; readonly css: string; readonly editable: boolean }
type RevisionPlan = { readonly author: number; readonly text: string; readonly reason: string }
type Decision = 'approve' | 'remove' | 'remove as spam' | 'ignore reports' | 'leave'

/** A place among the existing things, from 0 to 1: the plan is made before the things are known. */
type Place = number

export type SubsiteLife = {
  readonly templates: readonly TemplatePlan[]
  /** Who chooses own flair; `template` is an index among those for users. */
  readonly wearers: readonly { readonly person: number; readonly template: number }[]
  /** Link flair that a moderator gives; `template` is an index among those for links. */
  readonly labels: readonly { readonly thing: Place; readonly template: number }[]
  readonly rules: readonly { readonly name: string; readonly kind: 'link' | 'comment' | 'all'; readonly description: string }[]
  readonly pages: readonly { readonly name: string; readonly revisions: readonly RevisionPlan[] }[]
  /** As CSS writes it: `#a1b2c3`. */
  readonly color: string
  readonly letters: readonly { readonly from: number; readonly subject: string; readonly text: string; readonly reply: string }[]
  readonly reports: readonly { readonly reporter: number; readonly thing: Place; readonly reason: string }[]
  /** What moderators decide on what they find in their queues, in this order, over and over. */
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
const ruleNames = ['Stay on topic', 'Be kind', 'No advertising', 'Name your sources', 'No reposts within a month', 'Plain titles']
const userFlairs = ['beginner', 'enthusiast', 'expert', 'old hand', 'curious']
const linkFlairs = ['question', 'discussion', 'news', 'guide', 'show and tell']

export const lives = (size: { readonly seed: number; readonly people: number; readonly subsites: number }) => {
  const faker = new Faker({ locale: [en, base] })
  const chance = (probability: number) => faker.number.float() < probability
  const anybody = () => faker.number.int(size.people - 1)
  const place = (): Place => faker.number.float({ max: 0.999 })
  const some = <T>(least: number, most: number, make: (index: number) => T): readonly T[] =>
    Array.from({ length: faker.number.int({ min: least, max: most }) }, (_, index) => make(index))
  const template = (type: TemplatePlan['type'], text: string): TemplatePlan => ({
    type,
    text,
    css: text.replaceAll(' ', '-'),
    editable: chance(0.3),
  })

  const page = (name: string) => {
    const lines = some(3, 6, () => `## ${faker.lorem.words(3)}\n\n${faker.lorem.paragraph()}`)
    const revisions = some(2, 4, (index) => ({
      author: anybody(),
      text: [`# ${name}`, ...lines.slice(0, 2 + index), faker.hacker.phrase()].join('\n\n'),
      reason: index === 0 ? 'a beginning' : faker.lorem.words(4),
    }))
    return { name, revisions }
  }

  /** Of the subsite with this index. */
  const subsite = (index: number): SubsiteLife => {
    faker.seed([size.seed, 1, index])
    const users = faker.helpers.arrayElements(userFlairs, { min: 2, max: 4 })
    const links = faker.helpers.arrayElements(linkFlairs, { min: 2, max: 4 })
    const rules = faker.helpers.arrayElements(ruleNames, { min: 2, max: 4 })
    return {
      templates: [...users.map((text) => template('USER_FLAIR', text)), ...links.map((text) => template('LINK_FLAIR', text))],
      wearers: some(4, 8, () => ({ person: anybody(), template: faker.number.int(users.length - 1) })),
      labels: some(3, 6, () => ({ thing: place(), template: faker.number.int(links.length - 1) })),
      rules: rules.map((name) => ({
        name,
        kind: faker.helpers.arrayElement(['link', 'comment', 'all'] as const),
        description: faker.lorem.sentence(),
      })),
      pages: faker.helpers.arrayElements(pageNames, { min: 2, max: 4 }).map(page),
      color: faker.color.rgb(),
      letters: some(1, 3, () => ({
        from: anybody(),
        subject: faker.lorem.words({ min: 2, max: 5 }),
        text: faker.lorem.sentences(2),
        reply: faker.lorem.sentence(),
      })),
      reports: some(4, 10, () => ({
        reporter: anybody(),
        thing: place(),
        reason: chance(0.7) ? faker.helpers.arrayElement(rules) : faker.lorem.words(4),
      })),
      decisions: some(5, 9, () =>
        faker.helpers.arrayElement(['approve', 'approve', 'remove', 'remove as spam', 'ignore reports', 'leave'] as const),
      ),
      answers: some(2, 4, () => faker.lorem.sentences({ min: 1, max: 3 })),
    }
  }

  /** Of the person with this index. */
  const person = (index: number): PersonLife => {
    faker.seed([size.seed, 2, index])
    const all = Array.from({ length: size.subsites }, (_, subsite) => subsite)
    return {
      multi: {
        name: faker.helpers.arrayElement(['daily', 'weekend', 'learning', 'hobbies']),
        subsites: faker.helpers.arrayElements(all, { min: 2, max: 5 }),
        description: faker.lorem.sentence(),
        isPublic: chance(0.5),
      },
      saved: some(0, 3, () => ({ thing: place(), category: faker.helpers.arrayElement(categories) })),
      hidden: chance(0.4) ? place() : undefined,
      muted: chance(0.3) ? faker.helpers.arrayElement(all) : undefined,
      blocksLatestSender: chance(0.15),
      preferences: {
        numsites: faker.helpers.arrayElement([10, 25, 50, 100]),
        default_comment_sort: faker.helpers.arrayElement(['fun', 'new', 'top', 'insightful']),
        public_votes: chance(0.5),
        monitor_mentions: chance(0.8),
      },
      gilded: some(1, 3, place),
    }
  }

  return { subsite, person }
}
