import { publicPrefix } from '#configuration/surfaces'
import type { Env } from '#start/env'

/** Whether others are told an address; the one of this machine alone is no proxy's. */
export const isPublic = ({ PUBLIC_URL, PORT }: Env): boolean =>
  PUBLIC_URL !== `http://localhost:${PORT}`

/** Where others reach a surface that this process serves. */
export const publicAddress = (surface: 'core' | 'telemetry', env: Env): string | undefined =>
  env.SURFACES.includes(surface) ? env.PUBLIC_URL + publicPrefix(surface, env.SURFACES) : undefined
