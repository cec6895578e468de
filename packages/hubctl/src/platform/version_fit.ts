import { SURFACE_NAMES } from '#configuration/surfaces'
import { VERSION } from '#kernel/version'
import type { ServiceState } from './service_states.js'

/** Says which services have a version that this hubctl may not understand, and what to do. */
export function versionAdvice(
  states: readonly Pick<ServiceState, 'service' | 'version'>[],
  own: string = VERSION
): string | undefined {
  const others = states.filter(({ version }) => version !== null && !isCompatible(own, version))
  if (others.length === 0) {
    return undefined
  }
  const versions = [...new Set(others.map(({ version }) => version))].join(', ')
  const names = others.map(({ service }) => service).join(', ')
  const which = others.length === SURFACE_NAMES.length ? 'the hub' : names
  return `This is hubctl ${own}, but ${which} has version ${versions}: install the hubctl of that version.`
}

/** Versions fit if what SemVer allows to break is the same: the major version, below 1.0.0 also the minor one. */
function isCompatible(own: string, other: string): boolean {
  return breakingPart(own) === breakingPart(other)
}

function breakingPart(version: string): string {
  const [major, minor] = version.split('.')
  return major === '0' ? `0.${minor}` : major!
}
