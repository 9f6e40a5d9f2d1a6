import { writeFile } from 'node:fs/promises'
import { commandLine } from '../src/cli/command-line.ts'

commandLine({ usage: 'npm run docs', help: 'Writes the generated references in docs/ again.' })

const { generated } = await import('./generated.ts')
for (const [name, text] of generated()) {
  await writeFile(new URL(name, import.meta.url), text)
  process.stdout.write(`docs/${name}\n`)
}
