import type { Faker } from '@faker-js/faker'

/*
 * A small grammar of plain English sentences, so that the demo reads like people who talk about what they do. `{thing}` and `{other}` are two
 * things of a topic, `{doing}` is something that one does there.
 */

export type Topic = { readonly name: string; readonly things: readonly string[]; readonly doings: readonly string[] }

const topic = (name: string, things: string, doings: string): Topic => ({ name, things: things.split(', '), doings: doings.split(', ') })

/** No topic is the name of the subsite that the guides make. */
export const topics: readonly Topic[] = [
  topic('cooking', 'a cast iron pan, fresh stock, a sharp knife, a slow oven, brown butter', 'salting the water, browning onions, resting the meat, cooking for six'),
  topic('cinema', 'the opening shot, a quiet ending, an old print, the second act, a long take', 'watching with subtitles, sitting in the front row, seeing it twice, skipping the trailer'),
  topic('gardening', 'a raised bed, compost, a south wall, old tomato seed, a rain barrel', 'pruning in March, watering at night, growing from seed, leaving the leaves'),
  topic('astronomy', 'a small telescope, a dark sky, a star map, a cheap tripod, binoculars', 'watching the Perseids, finding Saturn, taking long exposures, waiting for clouds to clear'),
  topic('cycling', 'a steel frame, wide tyres, a dynamo light, a dry chain, the old canal path', 'commuting in winter, fixing a flat, riding before work, climbing in a low gear'),
  topic('history', 'a parish register, an old map, a letter from 1911, the town archive, a first edition', 'reading old handwriting, dating old photographs, tracing a family, asking the oldest neighbour'),
  topic('typography', 'a narrow column, an old-style serif, a real italic, good line spacing, a type specimen', 'setting long text, pairing two faces, printing on cheap paper, kerning by hand'),
  topic('chess', 'a rook endgame, the French Defence, a wooden board, a slow game, an early queen', 'playing without a clock, losing on time, studying old games, giving up a pawn'),
  topic('baking', 'a sourdough starter, rye flour, a cold oven, a baking stone, too much salt', 'proving overnight, kneading by hand, baking with steam, weighing everything'),
  topic('birds', 'a kingfisher, an owl box, a bird feeder, a field guide, the dawn chorus', 'counting in winter, listening at dusk, keeping a list, sitting still for an hour'),
  topic('photography', 'a fifty millimetre lens, old film, soft light, a heavy tripod, a grey day', 'printing at home, shooting one roll a week, asking strangers, leaving the camera at home'),
  topic('linux', 'an old laptop, a cron job, a broken update, the man page, a spare disk', 'reading the logs, testing the backup, compiling a kernel, moving to a new distribution'),
  topic('music', 'a second-hand piano, a metronome, an upright bass, a live album, a worn record', 'practising slowly, singing in a choir, reading at sight, tuning by ear'),
  topic('maps', 'a contour line, a folded map, an old survey, a missing path, a paper atlas', 'walking without a phone, tracing a river, comparing two editions, drawing your own'),
  topic('poetry', 'a short line, a sonnet, a thin volume, a bad translation, the last stanza', 'reading aloud, learning by heart, writing every day, cutting the first line'),
  topic('woodworking', 'a hand plane, a dovetail joint, green oak, a dull chisel, a small bench', 'sharpening on stones, sanding less, gluing up alone, measuring twice'),
  topic('trains', 'a night train, a branch line, a window seat, an old timetable, a missed connection', 'travelling with a bicycle, changing at midnight, riding to the end of the line, booking early'),
  topic('hiking', 'a light tent, wet boots, a mountain hut, a good map, a long ridge', 'starting before sunrise, turning back, walking alone, drying socks'),
  topic('mathematics', 'a short proof, a counterexample, an old exam, a blackboard, a good notation', 'drawing a picture first, proving it twice, asking a simple question, teaching it to somebody'),
  topic('architecture', 'a brick façade, a flat roof, a narrow staircase, a concrete library, a north light', 'saving an old station, drawing by hand, living in a tower, adding a floor'),
  topic('sailing', 'a small dinghy, an east wind, a spare anchor, a borrowed chart, a calm morning', 'reefing early, sailing at night, mending a sail, picking up a mooring'),
  topic('languages', 'a dialect word, a pocket dictionary, an irregular verb, a language café, a false friend', 'learning two at once, reading children’s books, talking to neighbours, keeping a notebook'),
  topic('physics', 'a pendulum, a rough estimate, a vacuum pump, an old textbook, a wrong sign', 'measuring it yourself, checking the units, explaining tides, repeating the experiment'),
  topic('comics', 'a single panel, a Sunday page, an old anthology, a silent story, a first issue', 'inking with a brush, reading out of order, drawing hands, lettering by hand'),
  topic('coffee', 'a hand grinder, a light roast, tap water, a moka pot, a paper filter', 'grinding coarser, weighing the water, brewing cold, roasting at home'),
  topic('pottery', 'a glazed bowl, a kick wheel, a cracked plate, red clay, a shared kiln', 'centring the clay, firing twice, mixing a glaze, throwing off the hump'),
  topic('economics', 'a price index, a small sample, an old model, a tax on land, a footnote', 'reading the appendix, comparing two cities, asking who pays, checking the axis'),
  topic('geology', 'a fault line, a hand lens, a roadside cutting, a flint nodule, a local quarry', 'drawing a section, walking the coast, naming a rock, reading the layers'),
  topic('theatre', 'an empty stage, a village hall, a bad seat, a prompt book, a quiet voice', 'learning lines, touring in a van, lighting with four lamps, rehearsing outdoors'),
  topic('running', 'a worn shoe, a flat course, a slow mile, a parkrun, a training plan', 'running every day, warming up, coming back from an injury, walking the hills'),
  topic('science', 'a small study, a null result, a field notebook, a peer review, a control group', 'sharing the data, repeating old work, reading the methods first, asking for the code'),
  topic('books', 'a long novel, a used bookshop, a bad ending, a translated novel, a reading list', 'reading in bed, giving up after fifty pages, reading it again, lending to friends'),
  topic('philosophy', 'a thought experiment, a short dialogue, a plain question, an old objection, a footnote', 'defining the words, reading the original, arguing both sides, changing your mind'),
  topic('knitting', 'a dropped stitch, wool from a local farm, a round needle, a plain sweater, an old pattern', 'knitting on the train, casting off loosely, washing by hand, starting again'),
  topic('robotics', 'a cheap servo, a line follower, a loose wire, a depth camera, a school kit', 'testing outdoors, printing the parts, writing the log first, charging the batteries'),
  topic('fountainpens', 'a fine nib, blue-black ink, cheap paper, an old piston filler, a dry writer', 'flushing the pen, writing letters, mixing inks, writing with the left hand'),
  topic('radio', 'a wire antenna, a local repeater, a shortwave set, a weak signal, a homemade filter', 'listening at night, calling from a hill, soldering a kit, passing the exam'),
  topic('mushrooms', 'a chanterelle, a spore print, an old beech wood, a mesh bag, a doubtful cap', 'drying them, asking an expert, going out after rain, leaving the small ones'),
  topic('climbing', 'a short wall, a worn rope, a damp crag, a beginner’s route, a lost nut', 'falling safely, climbing outside, resting two days, trusting your feet'),
  topic('law', 'a plain contract, an old statute, a small claim, a public register, a dissent', 'reading the whole clause, asking for costs, going to mediation, keeping the letters'),
] // biome-ignore format: a list of words

const linkTitles = [
  'A beginner’s guide to {doing}', 'What I learned from a year of {doing}', 'Why {thing} is harder to find than it used to be', 'In praise of {thing}',
  '{Thing} against {other}: a fair comparison', 'How {thing} changed the way I work', 'The case against {doing}', 'A short history of {thing}',
  'Five mistakes people make when {doing}', 'Notes on {doing}', 'An interview about {doing}', 'Does {doing} really help? Somebody measured it',
  'The town that still cares about {thing}', 'Photos: {thing}, before and after', 'Old article, still true: {doing}', 'How to choose {thing}',
  'Nobody talks about {thing} any more', 'A love letter to {thing}', '{Doing}: what the evidence says', 'The last workshop that makes {thing}',
] // biome-ignore format: a list of words

const textTitles = [
  'What is your opinion on {thing}?', 'Is {doing} worth it?', 'I finally tried {doing}', 'How do you deal with {thing}?', 'Where do I start with {doing}?',
  'Am I the only one who prefers {thing} to {other}?', 'Looking for advice on {doing}', 'What did you do this week?', 'Something small that made my week: {thing}',
  'Unpopular view: {thing} does not matter', 'How long did {doing} take you?', 'Help me choose between {thing} and {other}', 'A question about {thing}',
  'My first attempt at {doing}', 'What would you tell yourself five years ago?',
] // biome-ignore format: a list of words

const sentences = [
  'I have been {doing} for about three years now.', 'My experience with {thing} has been mostly good.', 'It took me a whole winter to understand this.',
  'I would start with {thing} and see how far that gets you.', 'To be honest, {doing} never worked for me.', 'The trick is patience, as so often.',
  'Most of what I know I learned from my neighbour.', '{Thing} made more of a difference than I expected.', 'If you can, borrow it first before you spend any money.',
  'I tried {doing} last weekend and it went better than I feared.', 'There is a good chapter about this in the library.', 'I used to think the same, and then I changed my mind.',
  'It depends on how much time you have.', 'Nobody told me that {doing} would be the easy part.', 'You will need {thing}, and a free afternoon.',
  'My first one was terrible, and that is fine.', 'People worry too much about {thing}.', 'I keep a notebook about it, which helps.',
  'The weather was against us, so we waited a day.', 'It is cheaper than you think if you buy used.', 'I would rather have {thing} than {other}.',
  'After {doing} for a month you stop noticing it.', 'We did it with the children, and they loved it.', 'I asked at the club, and they all said something different.',
  'What surprised me was how quiet it is.', 'The old way is slower, but I enjoy it more.', 'I made the same mistake twice.', 'Start small and do not rush it.',
  'I wrote down what it cost me: less than forty in all.', 'The second attempt was much better.', 'I have not missed {other} since.', 'Ask me again in a year.',
  'There are days when nothing works.', 'A friend lent me {thing}, and I never gave it back.', 'This is the part that books leave out.',
] // biome-ignore format: a list of words

const replies = [
  'Thank you, that is very helpful.', 'I did not know that.', 'Same here.', 'How long did it take you?', 'Do you have a picture?', 'That matches what I have seen.',
  'I am not sure that this is true everywhere.', 'Could you say more about {thing}?', 'Have you tried {doing}?', 'This made me laugh.', 'Exactly this.', 'Where did you find {thing}?',
  'I disagree, but I see your point.', 'You were lucky.', 'Good question. I would say no.', 'Yes, and it gets easier.', 'No, and I tried hard.', 'Please report back when you know.',
  'My grandmother said the same about {thing}.', 'I saved this for later.', 'It was like that for me too, at first.', 'What about {other}?', 'That is a fair price.',
  'I would not do that in the rain.', 'Well said.', 'Is there a cheaper way?', 'The link at the top answers that.', 'Try it once before you decide.', 'Beginners always ask this, and rightly so.',
] // biome-ignore format: a list of words

const subjects = [
  'Your comment about {thing}', 'A question about {doing}', 'Thanks for the tip', 'Are you coming on Saturday?', 'About your last post', 'Hello from a new member', 'Can I borrow {thing}?',
] // biome-ignore format: a list of words

const letters = [
  'Could you look at my last post? I think it was removed by mistake.', 'Would you allow a weekly thread about {doing}?', 'Somebody keeps posting the same address.',
  'I would like to help with the wiki page about {thing}.', 'Is it fine to post my own article about {doing}?', 'Thank you for keeping this place friendly.',
] // biome-ignore format: a list of words

const answers = [
  'Thank you for writing. We have put it back.', 'Good idea; we will try it next month.', 'We have seen it and removed the others.', 'Please do, and ask if anything is unclear.',
  'Once in a while is fine. Please say that it is yours.', 'We talked about it and would rather keep things as they are.',
] // biome-ignore format: a list of words

const hosts = [
  'evening-post', 'open-notebook', 'slow-weekly', 'field-notes', 'workshop-journal', 'harbour-times', 'plain-letters', 'the-long-read', 'north-valley-news', 'weekend-maker',
  'small-museum', 'city-archive', 'radio-four-hills', 'garden-gate', 'paper-and-ink', 'college-review', 'old-station', 'kitchen-table', 'public-library', 'second-look',
] // biome-ignore format: a list of words

const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z0-9’]+/g, '-')
    .replaceAll('’', '')
    .replace(/^-|-$/g, '')

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Speaks with the draws of `faker`. */
export const speech = ({ helpers, number }: Faker) => {
  /** A sentence of some, with what it leaves open filled from a topic. */
  const say = (some: readonly string[], { things, doings }: Topic): string => {
    const [thing = '', other = ''] = helpers.arrayElements(things, 2)
    const words: Readonly<Record<string, string>> = { thing, other, doing: helpers.arrayElement(doings) }
    return helpers.arrayElement(some).replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? capitalize(words[name.toLowerCase()] ?? ''))
  }
  /** Returns several sentences, none of them twice. */
  const sentencesOf = (about: Topic, count: number): string =>
    helpers
      .arrayElements(sentences, count)
      .map((sentence) => say([sentence], about))
      .join(' ')
  return {
    linkTitle: (about: Topic) => say(linkTitles, about),
    textTitle: (about: Topic) => say(textTitles, about),
    sentences: sentencesOf,
    reply: (about: Topic) => say(replies, about),
    subject: (about: Topic) => say(subjects, about),
    letter: (about: Topic) => say(letters, about),
    answer: () => helpers.arrayElement(answers),
    description: ({ name, doings }: Topic) =>
      `Everything about ${name}, from the first question to ${helpers.arrayElement(doings)}. Be kind to beginners.`,
    /** Makes an address that leads nowhere, of an article with a title. */
    address: (title: string, distinct: string) =>
      `https://${helpers.arrayElement(hosts)}.example/${number.int({ min: 2019, max: 2026 })}/${slugOf(title)}-${distinct}`,
  }
}
