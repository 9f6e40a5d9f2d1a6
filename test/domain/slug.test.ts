import test from 'ava'
import { slugOf } from '../../src/http/present/permalink.ts'

const slugs = test.macro({
  exec: (t, title: string, expected: string) => t.is(slugOf(title), expected),
  title: (_, title = '') => `the slug of ${JSON.stringify(title).slice(0, 40)}`,
})

test(slugs, 'Hello, World!', 'hello_world')
test(slugs, '  a \t b\n c ', 'a_b_c')
test(slugs, '__x__y__', 'x_y')
test(slugs, 'Thé à l’eau – Ünïcode 日本', 'thé_à_leau_ünïcode_日本')
test(slugs, '', '_')
test(slugs, '!?…', '_')
test(slugs, `${'word '.repeat(9)}longer and cut`, 'word_word_word_word_word_word_word_word_word')
test(slugs, 'x'.repeat(80), 'x'.repeat(50))
test(slugs, '../../etc/passwd?a=b#c', 'etcpasswdabc')
