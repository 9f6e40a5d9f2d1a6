import { isIP } from 'node:net'
import { credentials } from '@grpc/grpc-js'

type Connector = { readonly connectionOptions: { servername?: string | undefined } }
type SecureCredentials = { _createSecureConnector: (...parts: unknown[]) => Connector }

/**
 * Allows TLS connections to nodes that are known by IP address, as clusters often announce them. The gRPC library gives the address
 * as a server name, which no certificate check needs and which Node 26 refuses; the certificate is still checked against the address.
 */
export const allowTlsByAddress = (): void => {
  const prototype = Object.getPrototypeOf(credentials.createSsl()) as SecureCredentials
  const create = prototype._createSecureConnector
  prototype._createSecureConnector = function (this: SecureCredentials, ...parts) {
    const connector = create.apply(this, parts)
    if (isIP(connector.connectionOptions.servername ?? '')) connector.connectionOptions.servername = undefined
    return connector
  }
}
