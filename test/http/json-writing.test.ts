import test from 'ava'
import { Fragment, fragment, shareMembers, toPlain } from '../../src/http/wire/json-writing.ts'
import fc, { anyText } from '../support/properties.ts'

test('a value is read as it was written, with `&`, `<` and `>` and what looks like entities in its texts and names', (t) => {
  const text = fc.oneof(anyText(), fc.constantFrom('&amp;lt;', '&lt;p&gt;', 'a & b', '<&>', '&amp;amp;', '\\u0026'))
  const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text))
  fc.assert(
    fc.property(fc.dictionary(text, value, { noNullPrototype: true }), (made) => {
      const members = shareMembers(() => made)
      members.piece('entities')
      const shared = new Fragment(() => ['{', members, '}'])
      const expected = JSON.parse(JSON.stringify(made))
      t.deepEqual(toPlain({ plain: made, kept: fragment(made), shared }), { plain: expected, kept: expected, shared: expected })
    }),
  )
})
