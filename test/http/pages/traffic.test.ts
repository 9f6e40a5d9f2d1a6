import test from 'ava'
import { type Day, withQuietDays } from '../../../src/http/pages/subsites/traffic.ts'

const busy = (day: string, subscribers: number): Day => ({
  day,
  posts: 1,
  comments: 2,
  votes: 3,
  removals: 1,
  subscribed: 1,
  unsubscribed: 0,
  subscribers,
})
const quiet = (day: string, subscribers: number): Day => ({
  ...busy(day, subscribers),
  posts: 0,
  comments: 0,
  votes: 0,
  removals: 0,
  subscribed: 0,
})

test('a run of quiet days begins and ends with a day of zeros, which has the subscribers of the day before it', (t) => {
  const days = [busy('2028-02-27', 4), busy('2028-02-28', 5), busy('2028-03-01', 6), busy('2028-03-31', 7), busy('2028-04-03', 8)]
  t.deepEqual(withQuietDays(days), [
    busy('2028-02-27', 4),
    busy('2028-02-28', 5),
    quiet('2028-02-29', 5),
    busy('2028-03-01', 6),
    quiet('2028-03-02', 6),
    quiet('2028-03-30', 6),
    busy('2028-03-31', 7),
    quiet('2028-04-01', 7),
    quiet('2028-04-02', 7),
    busy('2028-04-03', 8),
  ])
  t.deepEqual(withQuietDays([]), [])
})
