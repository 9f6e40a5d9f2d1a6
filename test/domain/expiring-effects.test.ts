import test from 'ava'
import { type EventName, eventDefinitions } from '../../src/domain/events.ts'
import { expiringEffects } from '../../src/domain/expiring-effects.ts'
import { goldenData } from '../support/golden.ts'

test('every event that says when an effect ends sets the end of a timed effect', (t) => {
  const setting = Object.values(expiringEffects).flatMap(({ setBy }): readonly string[] => setBy)
  const ending = ([...eventDefinitions.keys()] as readonly EventName[]).filter((type) => 'until' in goldenData(type))
  t.deepEqual(ending.toSorted(), setting.toSorted(), 'add it to src/domain/expiring-effects.ts')
})
