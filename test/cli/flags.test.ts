import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { root } from '../support/pages.ts'

/** The Node of the machine, with which the service runs where packages for development are left out; undefined if there is none. */
const nodeOfMachine = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((directory) => !directory.includes('node_modules'))
  .map((directory) => join(directory, 'node'))
  .find(existsSync)

const launcher = await readFile(join(root, 'bin/rostra'), 'utf8')
const flagsOfCommands = [...launcher.matchAll(/^ {4}flags='(.+)'$/gm)].map(([, flags = '']) => flags.split(' '))

test('bin/rostra has flags for some commands', (t) => {
  t.true(flagsOfCommands.length > 1)
})

if (nodeOfMachine === undefined)
  test.skip('the Node of the machine takes the flags of bin/rostra (left out: there is none)', (t) => t.pass())
else
  test('the Node of the machine, which may be older, takes the flags of bin/rostra', async (t) => {
    for (const flags of flagsOfCommands)
      await t.notThrowsAsync(promisify(execFile)(nodeOfMachine, [...flags, '--eval', '0'], { env: {} }), flags.join(' '))
  })
