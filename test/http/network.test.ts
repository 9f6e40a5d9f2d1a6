import test from 'ava'
import { networkOf } from '../../src/http/contract/incoming.ts'
import fc from '../support/properties.ts'

for (const [address, network] of [
  ['203.0.113.1', '203.0.113.1'],
  ['::ffff:203.0.113.1', '203.0.113.1'],
  ['::FFFF:CB00:7101', '203.0.113.1'],
  ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:DB8:0000:0001::', '2001:db8:0:1::/64'],
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['203.0.113.1:5678', '203.0.113.1'],
  ['[2001:db8:0:1::5]:5678', '2001:db8:0:1::/64'],
  ['[2001:db8:0:1::5]', '2001:db8:0:1::/64'],
  ['', ''],
  ['unknown', 'unknown'],
] as const)
  test(`requests from ${address || 'nowhere'} count for ${network || 'nowhere'}`, (t) => t.is(networkOf(address), network))

test('all addresses of an IPv6 /64 are one network', (t) => {
  const group = fc.integer({ min: 1, max: 0xffff }).map((n) => n.toString(16))
  const groups = (n: number) => fc.array(group, { minLength: n, maxLength: n }).map((parts) => parts.join(':'))
  fc.assert(
    fc.property(groups(4), groups(4), groups(4), (prefix, one, other) => {
      t.is(networkOf(`${prefix}:${one}`), networkOf(`${prefix}:${other}`))
      if (prefix !== one) t.not(networkOf(`${prefix}:${one}`), networkOf(`${one}:${one}`))
    }),
  )
})

test('a forwarded address takes little memory, however long', (t) => {
  t.true(networkOf('x'.repeat(10_000)).length < 50)
})
