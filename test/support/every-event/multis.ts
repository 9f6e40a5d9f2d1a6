import { defaultContent, MultiCreated, MultiDeleted, MultiEdited } from '../../../src/domain/multi.ts'
import { ann, bob, tea } from '../example-history.ts'
import { inNameOf, type LoggedEvent } from '../logged-events.ts'

const multi = (name: string, more: object = {}) => ({
  ...defaultContent,
  ...{ account: bob, kind: 'm' as const, name, displayName: 'Drinks', subsites: [tea], created: 1, copiedFrom: null },
  ...more,
})
export const onMultis: readonly LoggedEvent[] = [
  inNameOf(bob)(MultiCreated(multi('drinks', { description: 'hot and cold '.repeat(10) }))),
  inNameOf(bob)(
    MultiEdited(
      multi('drinks', {
        ...{ subsites: [], visibility: 'public', copiedFrom: { account: ann, name: 'drinks' } },
        ...{ quotedName: { author: ann, text: 'Drinks' }, quotedDescription: { author: ann, text: 'hot and cold' } },
      }),
    ),
  ),
  inNameOf(bob)(MultiCreated({ ...multi('cups'), renamed: { from: 'mugs', revision: 0 } })),
  inNameOf(bob)(MultiCreated(multi('gone'))),
  inNameOf(bob)(MultiDeleted({ account: bob, kind: 'm', name: 'gone' })),
]
