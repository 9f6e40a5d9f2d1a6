import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { has } from '../support/guides.ts'

const adapters = new URL('../../docs/adapters/', import.meta.url)
const { toClient, parameterToService, USUAL_FIELDS } = (await import(new URL('rostra-words.mjs', adapters).href)) as {
  readonly toClient: (value: unknown, asked?: { readonly own: string; readonly path: string }) => unknown
  readonly parameterToService: (name: string, value: unknown) => unknown
  readonly USUAL_FIELDS: unknown
}

const own = 'http://127.0.0.1:8080'
const permalink = '/s/tea/comments/a/on_water/'
const things = [
  { kind: 't5', data: { id: 'a', name: 't5_a', subsite: 'tea', is_self: true, permalink, url: `https://site.example${permalink}` } },
  {
    kind: 't5',
    data: {
      id: 'b',
      name: 't5_b',
      subsite: 'tea',
      is_self: false,
      url: `https://other.example/prefix${permalink}`,
      sr_detail: { url: '/s/tea/' },
    },
  },
  {
    kind: 't1',
    data: {
      id: 'c',
      link_id: 't5_a',
      parent_id: 't5_a',
      link_title: 'x',
      permalink: `${permalink}c`,
      subsite: 'tea',
      body: 't5_a in /s/tea',
    },
  },
  { kind: 't1', data: { id: 'c', subsite: 'tea', context: `${permalink}c/?context=3`, link_url: 'https://site.example/x' } },
  {
    kind: 't6',
    data: {
      id: 'd',
      subsite: null,
      subject: 'invitation to moderate /s/tea',
      body: 'you are invited to [/s/tea](/s/tea)',
      body_html: null,
    },
  },
  { kind: 't6', data: { id: 'd', subject: 'Hello', body: 'to é/s/tea, x/s/tea and /s/tea' } },
  { kind: 't4', data: { id: 'e', display_name: 'tea', url: '/s/tea/', subsite_type: 'public' } },
  { kind: 't2', data: { id: 'f', name: 't5_f', icon_img: 'own' } },
  { kind: 'modaction', data: { target_fullname: 't5_a', target_permalink: permalink, subsite: 'tea', sr_id36: 'e' } },
  { kind: 'subsite_settings', data: { subsite_id: 't4_e' } },
]
const responses: readonly (readonly [path: string, value: unknown])[] = [
  ['/r/tea', { kind: 'Listing', data: { children: things, after: 't6_d', before: null } }],
  ['/api/submit', { json: { errors: [], data: { id: 'a', name: 't5_a', url: `https://site.example${permalink}` } } }],
  ['/api/submit', { json: { errors: [['SUBSITE_NOEXIST', 'no subsite', 'sr']] }, reason: 'SUBSITE_NOEXIST' }],
  ['/api/v1/me', { id: 'f', name: 'ann', gold_csites: 1, features: {} }],
  ['/api/v1/me.json?raw_json=1', { error: 401 }],
  ['/api/v1/access_token', { access_token: 'T', scope: 'tea:mysubsites read csites' }],
  ['/api/v1/access_token', { access_token: 'T', scope: '*' }],
  [
    '/api/v1/scopes/',
    { read: { id: 'read', name: 'read', description: 'Read subsites.' }, csites: { id: 'csites', name: 'csites', description: 'Give.' } },
  ],
]
const parameters: readonly (readonly [name: string, value: string])[] = [
  ['id', 't1_a, t3_b'],
  ['text', 't3_b'],
  ['sr', 't5_x'],
  ['sr', 'tea'],
  ['scope', 'identity mysubreddits modlog read modnote'],
  ['scope', 'tea+x:creddits,livemanage,vote'],
  ['scope', 'structuredstyles'],
  ['scopes', '*'],
  ['scope', ''],
]

const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
import praw_rostra
responses, parameters, own = json.loads(sys.argv[2])
print(json.dumps({
    "responses": [praw_rostra.renamed(value, own, path) for path, value in responses],
    "parameters": [praw_rostra._parameter(name, value) for name, value in parameters],
    "fields": praw_rostra.USUAL_FIELDS,
}))
`

const inPython = test[(await has('python3', '--version')) ? 'serial' : 'skip']

inPython('the adapter for PRAW says what the proxy says', async (t) => {
  const input = JSON.stringify([responses, parameters, own])
  const { stdout } = await promisify(execFile)('python3', ['-B', '-c', program, fileURLToPath(adapters), input])
  const said = {
    responses: responses.map(([path, value]) => toClient(value, { own, path })),
    parameters: parameters.map(([name, value]) => parameterToService(name, value)),
    fields: USUAL_FIELDS,
  }
  t.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(said)))
})
