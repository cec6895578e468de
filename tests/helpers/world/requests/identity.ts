import { user } from '#identity/users/user'
import { sampleRecord } from '#tests/helpers/sample_records'
import type { World } from '#tests/helpers/world/world'
import { INSTALLATION } from './facts.js'
import type { RequestMaker } from './kinds.js'

const REALM_NAMES = ['institute', 'north'] as const

const ofUsers = (method: string): RequestMaker[] =>
  REALM_NAMES.map((realm) => async ({ realms }: World) => {
    const realmId = realms[realm]
    const { id } = await sampleRecord('identity', user, { realmId })
    const row = { name: `a user of the ${realm}`, id: id as string, realmId }
    return { method, path: `/users/${id}/sessions`, row }
  })

/** Somebody with a role, who may do with their own record what nobody else without a permission may. */
const ofResearcher =
  (method: string, body?: object): RequestMaker =>
  async ({ people, realms }) => {
    const { id } = people.of.north.researcher.actor!
    const row = { name: 'the researcher of the north', id, realmId: realms.north }
    return { method, path: `/users/${id}`, body, row }
  }

const own = (method: string, path: string): RequestMaker[] => [
  async () => ({ method, path, row: INSTALLATION }),
]

/** What to send for the routes of the embedded provider that do not follow from a kind. */
export const IDENTITY_REQUESTS: Readonly<Record<string, readonly RequestMaker[]>> = {
  'readUserinfo': [
    async () => ({ method: 'GET', path: '/userinfo', isOfProvider: true, row: INSTALLATION }),
  ],
  'readMe': own('GET', '/users/@me'),
  'readUser (with a role)': [ofResearcher('GET')],
  'updateUser (with a role)': [ofResearcher('POST', { displayName: 'Another name' })],
  'listUserSessions': ofUsers('GET'),
  'endUserSessions': ofUsers('DELETE'),
  'refusePolicy': [
    async () => ({ method: 'POST', path: '/policies', body: {}, row: INSTALLATION }),
  ],
  'refuseIdentityProvider': [
    async () => ({ method: 'POST', path: '/identity-providers', body: {}, row: INSTALLATION }),
  ],
}
