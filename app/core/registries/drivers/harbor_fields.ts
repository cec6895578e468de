import { RegistryFailure } from '#core/registries/registry_driver'

export const CONFLICT = 409
export const MISSING = 404

export function parseId(value: unknown): string {
  if (typeof value !== 'number' && typeof value !== 'string') {
    throw new RegistryFailure('The response of the registry has no id', false)
  }
  return String(value)
}

export function parseText(value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw new RegistryFailure('The response of the registry has no name or no secret', false)
  }
  return value
}

export function parseList<Item>(body: unknown): Item[] {
  if (!Array.isArray(body)) {
    throw new RegistryFailure('The response of the registry is not a list', false)
  }
  return body
}
