import { type Metadata, type ServiceError, status } from '@grpc/grpc-js'
import type { Faults } from './faults.ts'
import { callError } from './wire.ts'

/** The error that a call is turned away with, if it is: for want of a user, or because this node is not the leader. */
export type Gate = (call: { readonly metadata: Metadata }, append: boolean) => ServiceError | undefined

export const gateFor = (users: Readonly<Record<string, string>> | undefined, faults: Faults): Gate => {
  const notLeader = (): ServiceError | undefined => {
    if (!faults.leader) return undefined
    const more = { 'leader-endpoint-host': faults.leader.host, 'leader-endpoint-port': String(faults.leader.port) }
    return callError(status.NOT_FOUND, 'Leader info available', 'not-leader', more)
  }
  return ({ metadata }, append) => {
    if (users) {
      const [authorization] = metadata.get('authorization')
      if (authorization === undefined) return callError(status.PERMISSION_DENIED, 'Access Denied', 'access-denied')
      const [name = '', password] = Buffer.from(String(authorization).replace(/^Basic /, ''), 'base64')
        .toString('utf8')
        .split(/:(.*)/s)
      if (users[name] === undefined || users[name] !== password) return callError(status.UNAUTHENTICATED, 'Bad HTTP status code: 401')
    }
    // An append learns it from the answer on its stream.
    return !append && metadata.get('requires-leader').includes('true') ? notLeader() : undefined
  }
}
