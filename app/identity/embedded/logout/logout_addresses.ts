import { env, type Env } from '#start/env'

type LogoutSettings = Pick<Env, 'LOGOUT_ORIGINS' | 'UI_ORIGINS' | 'NODE_ENV'>

/**
 * Whether the platform may send requests to an address of a client. In production the operator has to list its origin
 * (SSRF protection).
 */
export function isAllowedAddress(
  address: string,
  { LOGOUT_ORIGINS, UI_ORIGINS, NODE_ENV }: LogoutSettings = env
): boolean {
  const origin = URL.parse(address)?.origin
  return (
    origin !== undefined &&
    (NODE_ENV !== 'production' || [...LOGOUT_ORIGINS, ...UI_ORIGINS].includes(origin))
  )
}
