import * as E from 'fp-ts/lib/Either.js'
import { parseScopes } from '../../../auth/scope-string.ts'
import { isScope, type Scope, scopes } from '../../../auth/scopes.ts'
import { section } from '../../contract/endpoint.ts'
import { answerRefusal } from '../../contract/error-responses.ts'
import { describeParam, optional, rawText } from '../../contract/params.ts'
import { refusalShape } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'

const describe = (names: readonly Scope[]) => Object.fromEntries(names.map((name) => [name, { id: name, name, description: scopes[name] }]))

const allScopes = Object.keys(scopes).filter(isScope)

const scopeShape = shape.recordSchema({ id: shape.text('read'), name: shape.text('read'), description: shape.text('Read content.') })

export const describeScopes = section('Miscellaneous').get('/api/v1/scopes', {
  scope: 'any',
  login: 'anyone',
  errors: 'coded',
  answers: {
    200: shape.someOf(Object.fromEntries(allScopes.map((name) => [name, scopeShape]))),
    400: shape.union(
      shape.recordSchema({
        message: shape.text('Bad Request'),
        error: shape.constant('invalid_scopes'),
        invalid_scopes: shape.listOf(shape.text('reed')),
        reason: shape.constant('OAUTH2_INVALID_SCOPE'),
        explanation: shape.text('there are no such scopes'),
        documentation_url: shape.text('https://rostra.example/docs/errors#OAUTH2_INVALID_SCOPE'),
      }),
      refusalShape,
    ),
  },
  summary: 'The OAuth scopes and what each of them allows.',
  params: { scopes: describeParam(optional(rawText()), 'a scope string; absent: all scopes') },
  handle: ({ params, config }) => {
    if (params.scopes === undefined) return { kind: 'json', body: describe(allScopes) }
    const parsed = parseScopes(params.scopes)
    const unknown = E.isLeft(parsed) ? parsed.left : parsed.right.scopes === '*' ? ['*'] : []
    if (unknown.length > 0)
      return {
        kind: 'json',
        status: 400,
        body: {
          ...answerRefusal('coded', { code: 'OAUTH2_INVALID_SCOPE', field: null, text: 'there are no such scopes' }, config.publicUrl).body,
          error: 'invalid_scopes',
          invalid_scopes: unknown,
        },
      }
    return { kind: 'json', body: describe(E.isRight(parsed) && parsed.right.scopes !== '*' ? parsed.right.scopes : allScopes) }
  },
})
