import test from 'ava'
import { Stylesheet, StylesheetSaved, saveStylesheet } from '../../src/domain/stylesheet.ts'
import { specification } from '../support/specification.ts'

const subsite = 't4_1'
const { given } = specification(Stylesheet)
const red = { subsite, author: 't2_ann', reason: '', source: 'a { color: red }', css: 'r'.repeat(64), images: [] }
const tan = { ...red, source: 'a { color: tan }', css: 't'.repeat(64) }
const first = StylesheetSaved({ ...red, previous: null, before: null })
test('the first stylesheet of a subsite records that there was none', given().when(saveStylesheet(red)).records(first))
test(
  'a stylesheet records the one it takes the place of, by its event and its published text',
  given(first)
    .when(saveStylesheet(tan))
    .records(StylesheetSaved({ ...tan, previous: '00000000-0000-5000-8000-000000000000', before: red.css })),
)
test('saving the same stylesheet changes nothing', given(first).when(saveStylesheet(red)).recordsNothing)
