import { publicPrefix } from '#configuration/surfaces'
import type { Env } from '#configuration/variables'

/** Whether PUBLIC_URL is set: the default address has no proxy in front. */
export const isPublic = ({ PUBLIC_URL, PORT }: Env): boolean =>
  PUBLIC_URL !== `http://localhost:${PORT}`

/** The public address of a surface of this process. */
export const publicAddress = (surface: 'core' | 'telemetry', env: Env): string | undefined =>
  env.SURFACES.includes(surface) ? env.PUBLIC_URL + publicPrefix(surface, env.SURFACES) : undefined
