import { Unreachable } from '#client/failures'
import { Transport, type Call } from '#client/transport'
import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'

/** Sends a request. Connection errors name the server and what to check. */
export async function reach(
  address: string,
  call?: Call,
  by: Pick<Transport, 'send'> = new Transport()
): Promise<Response> {
  try {
    return await requireNoRedirect(address, await by.send(address, call))
  } catch (error) {
    throw error instanceof Unreachable ? unreachable(error) : error
  }
}

/** The address of a service is not one that leads elsewhere. */
async function requireNoRedirect(address: string, response: Response): Promise<Response> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel()
    throw new Unreachable(new URL(address).origin, 'unexpected redirect')
  }
  return response
}

function unreachable({ origin, reason, code = '' }: Unreachable): Problem {
  const words = REASONS[code] ?? reason
  return new Problem(EXIT.unreachable, `${origin} cannot be reached: ${words}.`, [
    'Check that it runs at this address. hubctl context list shows the address; --url <address> uses another.',
  ])
}

const NO_TLS = 'no TLS at this address; it may have to start with http://'

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name lookup failed',
  ECONNRESET: 'connection lost',
  UND_ERR_SOCKET: 'connection lost',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to host',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'self-signed certificate (NODE_EXTRA_CA_CERTS names a file of trusted certificates)',
  SELF_SIGNED_CERT_IN_CHAIN:
    'certificate of an unknown issuer (NODE_EXTRA_CA_CERTS names a file of trusted certificates)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'certificate of an unknown issuer (NODE_EXTRA_CA_CERTS names a file of trusted certificates)',
  CERT_HAS_EXPIRED: 'certificate expired',
}
