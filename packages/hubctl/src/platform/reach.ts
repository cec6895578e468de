import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'

/** Time limit for the response headers. */
const TIMEOUT_MS = 30_000

/** Sends a request. Connection errors name the server and what to check. */
export async function reach(
  address: string,
  init: RequestInit & { timeoutMs?: number } = {}
): Promise<Response> {
  const { timeoutMs = TIMEOUT_MS, signal, ...request } = init
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new Error('no answer')), timeoutMs)
  const signals = [deadline.signal, ...(signal ? [signal] : [])]
  try {
    return await fetch(address, {
      redirect: 'error',
      ...request,
      signal: AbortSignal.any(signals),
    })
  } catch (error) {
    if (signal?.aborted) {
      throw error
    }
    throw unreachable(
      address,
      deadline.signal.aborted ? `no answer in ${timeoutMs / 1000} s` : error
    )
  } finally {
    clearTimeout(timer)
  }
}

function unreachable(address: string, reason: unknown): Problem {
  const { origin } = new URL(address)
  const words = typeof reason === 'string' ? reason : reasonOf(reason as Error)
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

/** Redirects are an error, since following one would send the token elsewhere. */
function reasonOf(error: Error): string {
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string }
  return REASONS[code ?? ''] ?? message ?? error.message
}
