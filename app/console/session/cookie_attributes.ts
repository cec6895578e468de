import { surfaceUrl } from '#settings/app_settings'

/** The attributes of all cookies of the console: for its pages alone, and for no script. */
export function cookieAttributes() {
  const { protocol, pathname } = new URL(surfaceUrl('console'))
  return { httpOnly: true, secure: protocol === 'https:', path: pathname } as const
}
