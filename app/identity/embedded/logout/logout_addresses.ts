import { env, type Env } from '#start/env'

type LogoutSettings = Pick<Env, 'LOGOUT_ORIGINS' | 'UI_ORIGINS' | 'NODE_ENV'>

/**
 * Whether the platform sends requests to an address that a client named. In production only where its operator listed the
 * origin: whoever may change clients would else reach whatever the platform reaches.
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
