import { writeFile } from 'node:fs/promises'
import { commandLine, misuseOf } from '../src/cli/command-line.ts'

const generateReferences = async (): Promise<readonly string[]> => {
  const { generateDocuments } = await import('./generated.ts')
  const files = await generateDocuments()
  for (const [name, text] of files) await writeFile(new URL(name, import.meta.url), text)
  return [...files].map(([name]) => `docs/${name}`)
}

/** Each loads what it needs, and returns the files that it wrote. */
const generators: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  golden: async () => (await import('../test/support/golden.ts')).generateGolden(),
  references: generateReferences,
  recipes: async () => (await import('./recipes.ts')).generateRecipes(),
  pages: async () => (await import('./page-pictures.ts')).generatePagePictures(),
  pictures: async () => (await import('./guide-pictures.ts')).generatePictures(),
}

const usage = {
  usage: 'npm run generate -- [golden | references | recipes | pages | pictures] …',
  help: `Writes again what programs write; without a name golden, references and recipes.

  golden      the golden files of events that have none yet, and what each version of a read model makes of a history of all events
  references  the reference documents in docs/, the OpenAPI documents and the like
  recipes     what the queries of docs/history.md answer and draw
  pages       the pictures of the site in docs/pages/; needs Chromium, too
  pictures    the pictures of pages in docs/guide/; needs Chromium, which CHROMIUM names where it is not called chromium`,
  most: Object.keys(generators).length,
}

const { positionals } = commandLine(usage)
for (const name of positionals.length === 0 ? ['golden', 'references', 'recipes'] : positionals) {
  const generate = Object.hasOwn(generators, name) ? generators[name] : undefined
  if (generate === undefined) {
    process.stderr.write(`${misuseOf(usage, `there is no ${name}`).message}\n`)
    process.exit(2)
  }
  for (const file of await generate()) process.stdout.write(`${file}\n`)
}
