import { writeFile } from 'node:fs/promises'
import { generated } from './generated.ts'

for (const [name, text] of generated()) {
  await writeFile(new URL(name, import.meta.url), text)
  process.stdout.write(`docs/${name}\n`)
}
