import type { Api } from '#hubctl/platform/api'
import { allOf, type Fields } from '#hubctl/platform/pages'
import { Problem } from '#hubctl/problem'

interface Realm extends Fields {
  readonly id: string
  readonly name: string
}

/** Looks up names of realms; falls back to the id if the provider does not list them. */
export async function realmNames(api: Api): Promise<(id: string) => string> {
  const names = new Map<string, string>()
  try {
    const realms = await allOf<Realm>(api, 'identity', '/realms')
    realms.forEach(({ id, name }) => names.set(id, name))
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error
    }
  }
  return (id) => names.get(id) ?? id
}
