import { EXIT } from '#hubctl/exit_codes'
import { Problem } from '#hubctl/problem'

/** How long the head of an answer is waited for. */
const TIMEOUT_MS = 30_000

/** Makes a request; whoever does not answer is named, with what to look at. */
export async function reach(
  address: string,
  init: RequestInit & { patience?: number } = {}
): Promise<Response> {
  const { patience: timeoutMs = TIMEOUT_MS, signal, ...request } = init
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
    'Does it run, and is this its address? hubctl context list shows it; --url <address> tries another.',
  ])
}

const NO_TLS = 'it does not speak TLS there; the address may have to begin with http://'

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection broke off',
  UND_ERR_SOCKET: 'the connection broke off',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its certificate is signed by itself (NODE_EXTRA_CA_CERTS names a file of certificates to trust)',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its certificate is from nobody known here (NODE_EXTRA_CA_CERTS names a file of certificates to trust)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is from nobody known here (NODE_EXTRA_CA_CERTS names a file of certificates to trust)',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

/** A redirect is not followed, since the token would go along: it is an error of fetch. */
function reasonOf(error: Error): string {
  const { code, message } = (error.cause ?? error) as { code?: string; message?: string }
  return REASONS[code ?? ''] ?? message ?? error.message
}
